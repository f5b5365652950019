package io.vhca.bond.placement;

import io.vhca.api.Errno;
import io.vhca.api.Gid;
import io.vhca.api.Mtu;
import io.vhca.api.PortAttributes;
import io.vhca.api.PortState;
import io.vhca.api.VerbsException;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.member.BondLimits;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.Members;

/**
 * Port 1 of a bond: the least of what its living members' ports offer, up while {@code min_links} of them are. Control
 * lock for {@link #query}; any thread for the rest.
 */
public final class VirtualPort {

    private static final int SPEED_UNKNOWN = 0;
    private static final int FULL_MEMBER_PKEY = 0xFFFF;

    private final BondCore core;
    private final Members members;
    private final LinkMonitor monitor;

    public VirtualPort(final BondCore core, final Members members, final LinkMonitor monitor) {
        this.core = core;
        this.members = members;
        this.monitor = monitor;
    }

    public PortAttributes query(final int portNum) {
        assert core.holdsLock();
        check("queryPort", portNum);
        PortAttributes least = null;
        for (final Member member : members.all()) {
            final PortAttributes port =
                    member.part(core.counters(), () -> member.context().queryPort(Member.PORT));
            if (port != null) {
                least = least == null ? port : combine(least, port);
            }
        }
        if (least == null) {
            throw new VerbsException("queryPort", Errno.EIO, core.name(), "every member device is gone");
        }
        return new PortAttributes(
                monitor.isBondUp() ? PortState.ACTIVE : PortState.DOWN,
                least.maxMtu(),
                least.activeMtu(),
                1,
                1,
                least.maxMsgSz(),
                0,
                least.linkLayer(),
                least.activeSpeedMbps());
    }

    private static PortAttributes combine(final PortAttributes a, final PortAttributes b) {
        final boolean speedKnown =
                a.activeSpeedMbps() != SPEED_UNKNOWN && b.activeSpeedMbps() != SPEED_UNKNOWN;
        return new PortAttributes(
                a.state(),
                Mtu.atMost(Math.min(a.maxMtu().bytes(), b.maxMtu().bytes())),
                Mtu.atMost(Math.min(a.activeMtu().bytes(), b.activeMtu().bytes())),
                Math.min(a.gidTblLen(), b.gidTblLen()),
                Math.min(a.pkeyTblLen(), b.pkeyTblLen()),
                Math.min(a.maxMsgSz(), b.maxMsgSz()),
                0,
                a.linkLayer(),
                speedKnown ? Math.min(a.activeSpeedMbps(), b.activeSpeedMbps()) : SPEED_UNKNOWN);
    }

    public Gid gid(final int portNum, final int index) {
        check("queryGid", portNum);
        if (index != 0) {
            throw new VerbsException(
                    "queryGid", Errno.EINVAL, core.name(), "the GID table of a bond ends with the entry 0");
        }
        final BondConfig config = core.config();
        return Gid.of(config.alias() != null ? config.alias() : monitor.active().address());
    }

    public int pkey(final int portNum, final int index) {
        check("queryPkey", portNum);
        if (index != 0) {
            throw new VerbsException(
                    "queryPkey", Errno.EINVAL, core.name(), "the P_Key table of a bond ends with the entry 0");
        }
        return FULL_MEMBER_PKEY;
    }

    private void check(final String verb, final int portNum) {
        if (portNum != BondLimits.PORT) {
            throw new VerbsException(
                    verb, Errno.EINVAL, core.name(), "port " + portNum + " does not exist; a bond has port 1");
        }
    }
}
