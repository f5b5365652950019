package io.vhca.tool.doctor;

import io.vhca.api.Context;
import io.vhca.api.Device;
import io.vhca.api.DeviceAttributes;
import io.vhca.api.Gid;
import io.vhca.api.PortAttributes;
import io.vhca.api.VerbsException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A device as it was found: opened, asked, and closed again.
 *
 * @param failure    why it could not be opened; null when it could
 * @param attributes null when it could not
 */
public record Adapter(
        String name, @Nullable VerbsException failure, @Nullable DeviceAttributes attributes, List<Port> ports) {
    /** A port. */
    public record Port(int number, PortAttributes attributes, List<Entry> gids) {
        /** The first GID that stands for an IP address of the host other than a link-local one. */
        @Nullable Entry ip(final List<Netdev> netdevs) {
            return gids.stream()
                    .filter(entry -> !entry.gid().isLinkLocal() && netdev(entry.gid(), netdevs) != null)
                    .findFirst()
                    .orElse(null);
        }
    }

    /** An entry of a GID table. */
    public record Entry(int index, Gid gid) {}

    /** Opens a device and looks at it. */
    static Adapter of(final Device device) {
        try (Context context = device.open()) {
            final DeviceAttributes attributes = context.queryDevice();
            final List<Port> ports = new ArrayList<>();
            for (int number = 1; number <= attributes.physPortCount(); number++) {
                final PortAttributes port = context.queryPort(number);
                final List<Entry> gids = new ArrayList<>();
                for (int index = 0; index < port.gidTblLen(); index++) {
                    final Gid gid = context.queryGid(number, index);
                    if (!gid.isZero()) {
                        gids.add(new Entry(index, gid));
                    }
                }
                ports.add(new Port(number, port, gids));
            }
            return new Adapter(device.name(), null, attributes, ports);
        } catch (final VerbsException e) {
            return new Adapter(device.name(), e, null, List.of());
        }
    }

    /** The port that a bond uses, the first; null where it could not be opened. */
    @Nullable Port port() {
        return ports.isEmpty() ? null : ports.getFirst();
    }

    /** The interface that has the IP address of a GID, or null. */
    static @Nullable Netdev netdev(final Gid gid, final List<Netdev> netdevs) {
        final InetAddress address = gid.address();
        return netdevs.stream().filter(one -> one.has(address)).findFirst().orElse(null);
    }

    /** The interface under the port that a bond uses, or null where it cannot be told. */
    @Nullable Netdev netdev(final List<Netdev> netdevs) {
        final Port port = port();
        final Entry entry = port == null ? null : port.ip(netdevs);
        return entry == null ? null : netdev(entry.gid(), netdevs);
    }

    /** What went wrong and what to do, without the verb's name before it. */
    String failureDetail() {
        final VerbsException failed = failure;
        if (failed == null) {
            return "";
        }
        final String message = String.valueOf(failed.getMessage());
        final int detail = message.indexOf("): ");
        return detail < 0 ? message : message.substring(detail + 3);
    }
}
