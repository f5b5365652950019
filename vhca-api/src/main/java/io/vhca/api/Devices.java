package io.vhca.api;

import java.util.ArrayList;
import java.util.List;

/**
 * The devices of all providers on the class path, by name. Any thread.
 *
 * <p>Whatever an application does first with vHCA goes through here; a JVM without the flags that vHCA needs is refused
 * with one sentence. A Java older than 25 finds another class of this name in the jar, in {@code src/main/java8}, which
 * has the same methods and refuses all of them with one sentence.
 */
public final class Devices {
    private static volatile List<DeviceProvider> known = List.of();

    private Devices() {}

    /**
     * The providers on the class path, found once; what devices they have, each is asked anew.
     *
     * @throws VerbsException EOPNOTSUPP where a flag is missing that this JVM must be started with ({@link JvmFlag})
     */
    public static List<DeviceProvider> providers() {
        List<DeviceProvider> providers = known;
        if (providers.isEmpty()) {
            JvmFlag.check();
            providers = List.copyOf(Services.of(DeviceProvider.class));
            known = providers;
        }
        return providers;
    }

    /** Every device of every provider, in the providers' order ({@code ibv_get_device_list}). */
    public static List<Device> list() {
        final List<Device> devices = new ArrayList<>();
        for (final DeviceProvider provider : providers()) {
            devices.addAll(provider.devices());
        }
        return devices;
    }

    /**
     * The device of that name.
     *
     * @throws VerbsException ENODEV where there is none; the message lists the names there are and, per provider
     *     without devices, what is missing
     */
    public static Device byName(final String name) {
        final StringBuilder known = new StringBuilder();
        for (final DeviceProvider provider : providers()) {
            for (final Device device : provider.devices()) {
                if (device.name().equals(name)) {
                    return device;
                }
                known.append(known.isEmpty() ? "" : ", ").append(device.name());
            }
            if (!provider.unavailableReason().isEmpty()) {
                known.append(known.isEmpty() ? "" : ", ")
                        .append("none of provider ")
                        .append(provider.name())
                        .append(" (")
                        .append(provider.unavailableReason())
                        .append(')');
            }
        }
        throw new VerbsException("openDevice", Errno.ENODEV, name, "no such device; " + (providers().isEmpty()
                ? "no provider of devices is on the class path, add the artifact vhca-physical"
                : "there is " + (known.isEmpty() ? "none" : known)));
    }

    /** Opens the device of that name ({@code ibv_open_device}); errors as {@link #byName} and {@link Device#open}. */
    public static Context open(final String name) {
        return byName(name).open();
    }
}
