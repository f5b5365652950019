package io.vhca.bond;

import io.vhca.api.DeviceCounter;
import io.vhca.api.PortAttributes;
import io.vhca.api.QpAttributes;
import io.vhca.api.QueuePair;
import io.vhca.api.VerbsException;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.Inspection;
import io.vhca.bond.failover.QpRecovery;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.Members;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.bond.verbs.QpTable;
import io.vhca.recovery.RecoveryMachine;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Says what the bond takes its objects to be, and what hardware says of them, at one moment. Control lock: no recovery
 * goes on meanwhile, posts and polls do, but for the time that a queue's requests are read.
 */
final class BondInspector {
    private final BondCore core;
    private final QpTable qps;
    private final Members members;

    BondInspector(final BondCore core, final QpTable qps, final Members members) {
        this.core = core;
        this.qps = qps;
        this.members = members;
    }

    /** A connected vQP: state, cursors, requests that are not done, and the physical queue pair. */
    void queuePair(final int qpNum, final Inspection to) {
        assert core.holdsLock();
        final BondQueuePair qp = qps.byNum(qpNum);
        if (qp == null) {
            return;
        }
        final QpRecovery recovery = QpRecovery.of(qp);
        final RecoveryMachine machine = recovery.machineOrNull();
        final PathLink link = recovery.liveLink();
        to.section("queue pair");
        to.value("qpn", hex(qpNum));
        to.value("state", qp.state());
        to.value("incarnation", qp.incarnation());
        to.value("path", link == null ? "none" : link.member().name() + " -> " + link.remote().getHostAddress());
        if (machine != null) {
            to.value("recovery", machine.state());
            to.value("epoch", Integer.toUnsignedString(machine.epoch()));
            to.value("failure", machine.reason());
            to.value("recoveries", machine.recoveries());
        }
        to.section("memory");
        for (final String part : qp.map()) {
            final int at = part.indexOf(" at ");
            to.value(part.substring(0, at), part.substring(at + 1));
        }
        to.value("markers", qp.isWhole() ? "whole" : qp.damage());
        to.section("send queue");
        qp.sendQueue().inspect(to, machine != null);
        to.section("receive queue");
        qp.recvQueue().inspect(to, false);
        hardware(recovery.attachment().physical(), to);
    }

    /** The path that a connected vQP lives on, or an empty text. */
    String path(final BondQueuePair qp) {
        assert core.holdsLock();
        return QpRecovery.of(qp).attachment().describe();
    }

    /** What hardware says of a connected vQP; nothing where it has none now, or there is none of that number. */
    void hardware(final int qpNum, final Inspection to) {
        assert core.holdsLock();
        final BondQueuePair qp = qps.byNum(qpNum);
        final QueuePair physical = qp == null ? null : QpRecovery.of(qp).attachment().physical();
        if (physical != null) {
            hardware(physical, to);
        }
    }

    private static void hardware(final @Nullable QueuePair physical, final Inspection to) {
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
        assert core.holdsLock();
        members.all().stream().filter(Member::isPresent).forEach(member -> member(member, to));
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
