package io.vhca.harness.drill.attack.child;

import io.vhca.api.Device;
import io.vhca.api.DeviceProvider;
import io.vhca.harness.drill.attack.packet.Sighting;
import io.vhca.physical.soft.SoftConfig;
import io.vhca.physical.soft.SoftContext;
import io.vhca.physical.soft.SoftDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;

/**
 * Soft devices that keep what passes them ({@link PacketTap}), as {@value #PROPERTY} names them; else it has none. Any
 * thread.
 */
public final class TappedProvider implements DeviceProvider {
    /** As {@link SoftConfig#PROPERTY}. */
    public static final String PROPERTY = "vhca.tapped";

    private static final ConcurrentMap<SoftConfig, SoftDevice> KNOWN = new ConcurrentHashMap<>();
    private static final Queue<PacketTap> TAPS = new ConcurrentLinkedQueue<>();

    /** For ServiceLoader. */
    public TappedProvider() {}

    @Override
    public String name() {
        return "tapped";
    }

    @Override
    public List<Device> devices() {
        final List<Device> devices = new ArrayList<>();
        for (final SoftConfig config : SoftConfig.parse(System.getProperty(PROPERTY, ""))) {
            devices.add(KNOWN.computeIfAbsent(config, one -> SoftDevice.overUdp(one, carrier -> {
                final PacketTap tap = new PacketTap(carrier);
                TAPS.add(tap);
                return tap;
            })));
        }
        return devices;
    }

    @Override
    public String unavailableReason() {
        return "";
    }

    /** Further contexts of the devices, which their counters are read by; the caller closes them. */
    static List<SoftContext> open() {
        return KNOWN.values().stream().map(SoftDevice::open).toList();
    }

    /** All that the taps keep. */
    static List<Sighting> seen() {
        return TAPS.stream().flatMap(tap -> tap.seen().stream()).toList();
    }

    static void listen(final boolean yes) {
        TAPS.forEach(tap -> tap.listen(yes));
    }
}
