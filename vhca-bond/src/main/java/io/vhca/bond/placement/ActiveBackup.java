package io.vhca.bond.placement;

import io.vhca.bond.member.Member;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * active-backup: every vQP lives on the active member. A healthy one moves only to a member that an operator or
 * {@code primary_reselect} chose.
 */
final class ActiveBackup implements PlacementMode {
    private final LinkMonitor monitor;

    ActiveBackup(final LinkMonitor monitor) {
        this.monitor = monitor;
    }

    @Override
    public int place(final InetAddress peer, final int port, final int qpNum) {
        return 0;
    }

    @Override
    public Member preferred(final int place) {
        return monitor.active();
    }

    @Override
    public @Nullable Member wanted(final int place) {
        return monitor.chosen() == monitor.active() ? monitor.active() : null;
    }
}
