package io.vhca.physical.soft;

import io.vhca.api.Device;
import io.vhca.api.DeviceProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The provider {@code soft}: embedded RNICs over UDP, as the system property {@code vhca.soft} or the environment
 * variable {@code VHCA_SOFT} says, for instance {@code soft0=10.1.0.1;mtu=1024,soft1=10.2.0.1}. Any thread.
 */
public final class SoftProvider implements DeviceProvider {
    /** A device stays the same object, so that whoever opens it again shares it. */
    private static final ConcurrentMap<SoftConfig, SoftDevice> KNOWN = new ConcurrentHashMap<>();

    /** For ServiceLoader. */
    public SoftProvider() {}

    @Override
    public String name() {
        return "soft";
    }

    @Override
    public List<Device> devices() {
        final List<Device> devices = new ArrayList<>();
        for (final SoftConfig config : SoftConfig.parse(configuration())) {
            devices.add(KNOWN.computeIfAbsent(config, SoftDevice::overUdp));
        }
        return devices;
    }

    private static String configuration() {
        final String property = System.getProperty(SoftConfig.PROPERTY);
        if (property != null) {
            return property;
        }
        final String variable = System.getenv(SoftConfig.VARIABLE);
        return variable != null ? variable : SoftConfig.DEFAULT;
    }

    @Override
    public String unavailableReason() {
        return configuration().isBlank()
                ? SoftConfig.PROPERTY + " is empty; give it devices, as in " + SoftConfig.DEFAULT
                : "";
    }
}
