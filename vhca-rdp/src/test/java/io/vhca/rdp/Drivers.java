package io.vhca.rdp;

import io.vhca.api.Context;
import io.vhca.physical.soft.SoftConfig;
import io.vhca.physical.soft.SoftDevice;
import io.vhca.rdp.common.RdpConfig;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

/** Drivers over soft devices on loopback addresses of this process alone. */
public final class Drivers implements AutoCloseable {
    private final List<Runnable> closes = new ArrayList<>();

    public static InetAddress own(final int last) {
        final int pid = (int) ProcessHandle.current().pid();
        return InetAddress.ofLiteral("127." + (64 + (pid >> 8 & 63)) + "." + (pid & 255) + "." + last);
    }

    public RdpDriver open(final int last) {
        return open(last, RdpConfig.DEFAULT);
    }

    public RdpDriver open(final int last, final RdpConfig config) {
        final Context context = context(last);
        final RdpDriver driver = RdpDriver.open(context, config);
        closes.add(driver::close);
        return driver;
    }

    public Context context(final int last) {
        final Context context = SoftDevice.overUdp(new SoftConfig("soft" + last, own(last), 4096)).open();
        closes.add(context::close);
        return context;
    }

    @Override
    public void close() {
        for (int i = closes.size() - 1; i >= 0; i--) {
            closes.get(i).run();
        }
    }
}
