package io.vhca.bond;

import io.vhca.api.DeviceCounter;
import io.vhca.api.PortAttributes;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpType;
import io.vhca.api.QueuePair;
import io.vhca.api.VerbsException;
import io.vhca.bond.core.Inspection;
import io.vhca.bond.member.Member;
import io.vhca.bond.verbs.VerbsScope;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Says what the members' devices say of themselves, and of what is on them. Control lock. */
final class HardwareInspector {
    private final VerbsScope scope;

    HardwareInspector(final VerbsScope scope) {
        this.scope = scope;
    }

    /** A physical queue pair. */
    static void queuePair(final @Nullable QueuePair physical, final Inspection to) {
        to.section("hardware");
        if (physical == null) {
            to.value("physical queue pair", "none");
            return;
        }
        to.value("physical qpn", hex(physical.qpNum()));
        try {
            final QpAttributes found = physical.query();
            to.value("state", found.qpState());
            to.value("sq_psn", found.sqPsn());
            if (physical.qpType() == QpType.UD) {
                to.value("qkey", hex(found.qkey()));
                return;
            }
            to.value("rq_psn", found.rqPsn());
            to.value("dest_qp_num", hex(found.destQpNum()));
            to.value("path_mtu", found.pathMtu());
            to.value("timeout", found.timeout());
            to.value("retry_cnt", found.retryCnt());
            to.value("rnr_retry", found.rnrRetry());
            to.value("max_rd_atomic", found.maxRdAtomic());
            to.value("max_dest_rd_atomic", found.maxDestRdAtomic());
        } catch (final VerbsException e) {
            to.value("query", String.valueOf(e.getMessage()));
        }
    }

    /** Every member: what the bond takes it for, its port and what its device counts. */
    void members(final Inspection to) {
        assert scope.core().holdsLock();
        scope.members().all().stream().filter(Member::isPresent).forEach(member -> member(member, to));
    }

    private static void member(final Member member, final Inspection to) {
        to.section("member " + member.name());
        to.value("up", member.isUp());
        to.value("drained", member.isDrained());
        to.value("address", member.address().getHostAddress());
        to.value("queue pairs", member.queuePairs());
        try {
            final PortAttributes port = member.context().queryPort(Member.PORT);
            to.value("port state", port.state());
            to.value("active mtu", port.activeMtu());
            to.value("speed Mbit/s", port.activeSpeedMbps());
            for (final DeviceCounter fault : member.context().faultCounters()) {
                to.value("counter " + fault.name().toLowerCase(Locale.ROOT), fault.value());
            }
        } catch (final VerbsException e) {
            to.value("port", String.valueOf(e.getMessage()));
        }
    }

    private static String hex(final int number) {
        return "0x" + Integer.toHexString(number);
    }
}
