package io.vhca.harness.doctor;

import io.vhca.bond.BondConfig;
import io.vhca.harness.doctor.Host.Bonds;
import io.vhca.harness.doctor.Host.Listing;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What several checks need to know of the host, asked for once. */
record Seen(Host host, Listing verbs, Listing soft, Bonds bonds, List<Netdev> netdevs) {
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
