package io.vhca.tool.doctor;

import io.vhca.api.Errno;
import io.vhca.bond.config.BondConfig;
import io.vhca.physical.soft.wire.Wire;
import io.vhca.tool.doctor.Host.Bonds;
import io.vhca.tool.doctor.Host.Listing;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What several checks need to know of the host, asked for once. */
record Seen(Host host, Listing verbs, Listing soft, Bonds bonds, List<Netdev> netdevs) {
    private static final Path UDP_SOCKETS = Path.of("/proc/net/udp");
    private static final Path RXE_MODULE = Path.of("/sys/module/rdma_rxe");
    /** The local address of a socket that is bound to no address of its own. */
    private static final Pattern EVERY_ADDRESS =
            Pattern.compile(String.format(Locale.ROOT, "(?m)^ *[0-9]+: 00000000:%04X ", Wire.UDP_PORT));

    static Seen of(final Host host) {
        return new Seen(host, host.verbs(), host.soft(), host.bonds(), host.netdevs());
    }

    /** True where soft devices alone do not do: a bond has another member, or there are none. */
    boolean needsRdma() {
        return soft.adapters().isEmpty()
                || bonds.configs().stream()
                        .flatMap(bond -> bond.members().stream())
                        .anyMatch(member -> soft.adapters().stream().noneMatch(one -> one.name().equals(member)));
    }

    /**
     * Who has the UDP port of soft devices on every address, so that none of them can open; empty for nobody. The
     * kernel's rdma_rxe does, loaded without any device too.
     */
    String holderOfSoftPort() {
        final String sockets = host.read(UDP_SOCKETS);
        if (sockets == null || !EVERY_ADDRESS.matcher(sockets).find()) {
            return "";
        }
        return host.access(RXE_MODULE).exists() ? "the kernel's rdma_rxe" : "another process";
    }

    /** True where somebody has a soft device open, most likely the application. */
    boolean isInUse(final Adapter adapter) {
        return failedBy(adapter, Errno.EADDRINUSE) && holderOfSoftPort().isEmpty();
    }

    /** True where a soft device cannot open because somebody has its port on every address. */
    boolean isShutOut(final Adapter adapter) {
        final boolean isTaken = failedBy(adapter, Errno.EADDRINUSE) || failedBy(adapter, Errno.EPERM);
        return isTaken && !holderOfSoftPort().isEmpty();
    }

    private static boolean failedBy(final Adapter adapter, final int errno) {
        return adapter.failure() != null && adapter.failure().errno() == errno;
    }

    boolean isMember(final Adapter adapter) {
        return bonds.configs().stream().anyMatch(bond -> bond.members().contains(adapter.name()));
    }

    @Nullable Adapter adapter(final String name) {
        return adapters().filter(one -> one.name().equals(name)).findFirst().orElse(null);
    }

    Stream<Adapter> adapters() {
        return Stream.concat(verbs.adapters().stream(), soft.adapters().stream());
    }

    /** Members of a bond that could be opened. */
    List<Adapter> open(final BondConfig bond) {
        return bond.members().stream()
                .flatMap(member -> adapters().filter(one -> one.name().equals(member)))
                .filter(one -> one.failure() == null)
                .toList();
    }
}
