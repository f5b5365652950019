package io.vhca.disni;

import io.vhca.api.Device;
import io.vhca.api.DeviceProvider;
import io.vhca.api.Devices;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which device DiSNI's programs get: they name none. The one that the property {@code vhca.disni.device} names, or the
 * variable {@code VHCA_DISNI_DEVICE}; else the only bond there is; else the only device there is. Stateless.
 */
final class DeviceChoice {
    static final String PROPERTY = "vhca.disni.device";
    static final String VARIABLE = "VHCA_DISNI_DEVICE";
    private static final String BONDS = "bond";

    private DeviceChoice() {}

    static Device choose() {
        return choose(System.getProperty(PROPERTY, System.getenv(VARIABLE)), Devices.providers());
    }

    /**
     * @param named null where nobody named one
     * @throws VerbsException ENODEV where the named one is not there, or which one is meant cannot be told
     */
    static Device choose(final @Nullable String named, final List<DeviceProvider> providers) {
        final List<Device> all = new ArrayList<>();
        final List<Device> bonds = new ArrayList<>();
        for (final DeviceProvider provider : providers) {
            final List<Device> devices = provider.devices();
            all.addAll(devices);
            if (provider.name().equals(BONDS)) {
                bonds.addAll(devices);
            }
        }
        if (named != null) {
            return all.stream()
                    .filter(device -> device.name().equals(named))
                    .findFirst()
                    .orElseThrow(() -> failure(named, "there is no such device", all));
        }
        if (bonds.size() == 1) {
            return bonds.getFirst();
        }
        if (all.size() == 1) {
            return all.getFirst();
        }
        throw failure(
                "DiSNI", all.isEmpty() ? "there is no device" : "which device a program gets has to be said", all);
    }

    private static VerbsException failure(final String object, final String what, final List<Device> all) {
        final List<String> names = all.stream().map(Device::name).toList();
        return new VerbsException(
                "openDevice",
                Errno.ENODEV,
                object,
                what + "; name one of " + names + " by -D" + PROPERTY + "=NAME or " + VARIABLE);
    }
}
