package io.vhca.harness.bench;

import io.vhca.api.Device;
import io.vhca.api.DeviceProvider;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/**
 * Provider {@code null}: devices without a wire, for measuring what lies above them.
 *
 * <p>System property {@value #PROPERTY} names them, {@code null0=127.0.3.1,null1=127.0.3.2}; without it there are none.
 * The addresses are names only: no socket is opened, peers are found within this process.
 */
public final class NullProvider implements DeviceProvider {
    /** Which devices there are: {@code name=address} separated by commas. */
    public static final String PROPERTY = "vhca.null";

    /** For the service loader. */
    public NullProvider() {}

    @Override
    public String name() {
        return "null";
    }

    @Override
    public List<Device> devices() {
        final List<Device> devices = new ArrayList<>();
        for (final String entry : System.getProperty(PROPERTY, "").split(",", -1)) {
            if (!entry.isBlank()) {
                devices.add(device(entry.trim()));
            }
        }
        return devices;
    }

    private static Device device(final String entry) {
        final int equals = entry.indexOf('=');
        try {
            if (equals > 0) {
                return new NullDevice(
                        entry.substring(0, equals), InetAddress.getByName(entry.substring(equals + 1)));
            }
        } catch (final UnknownHostException e) {
            throw new VerbsException("devices", Errno.EINVAL, PROPERTY, "'" + entry + "' names no address", e);
        }
        throw new VerbsException("devices", Errno.EINVAL, PROPERTY, "'" + entry + "' is not name=address");
    }

    @Override
    public String unavailableReason() {
        return "";
    }
}
