package io.vhca.tool.rdp;

import io.vhca.api.Context;
import io.vhca.api.Devices;
import io.vhca.rdp.RdpDriver;
import io.vhca.rdp.RdpSockets;
import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.shared.SharedDriver;
import org.jspecify.annotations.Nullable;

/**
 * The driver that a command uses: one of its own, or the one that all processes share. It owns that, and the device.
 *
 * @param own null where it is shared
 */
public record UsedDriver(RdpSockets sockets, @Nullable RdpDriver own, @Nullable Context device)
        implements AutoCloseable {
    /** Opens a driver in this process. */
    public static UsedDriver own(final String device, final RdpConfig config) {
        final Context context = Devices.open(device);
        boolean isDone = false;
        try {
            final RdpDriver driver = RdpDriver.open(context, config);
            isDone = true;
            return new UsedDriver(driver, driver, context);
        } finally {
            if (!isDone) {
                context.close();
            }
        }
    }

    /** Attaches to the driver that `vhca rdp driver` has. */
    public static UsedDriver shared(final String device) {
        return new UsedDriver(SharedDriver.attach(device), null, null);
    }

    @Override
    public void close() {
        sockets.close();
        if (device != null) {
            device.close();
        }
    }
}
