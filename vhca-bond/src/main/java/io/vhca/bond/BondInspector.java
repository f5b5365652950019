package io.vhca.bond;

import io.vhca.api.QueuePair;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.Inspected;
import io.vhca.bond.core.Inspection;
import io.vhca.bond.datagram.BondDatagramQp;
import io.vhca.bond.datagram.Datagrams;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.bond.verbs.QpTable;
import io.vhca.bond.verbs.VerbsScope;
import io.vhca.bond.verbs.VirtualQueuePair;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Says what the bond takes its objects to be, and what hardware says of them, at one moment. Control lock: no recovery
 * goes on meanwhile, posts and polls do, but for the time that a queue's requests are read.
 */
final class BondInspector {
    private static final int MOST_DESTINATIONS = 64;

    private final BondCore core;
    private final QpTable qps;
    private final Datagrams datagrams;
    private final QueueInspection queues;
    private final HardwareInspector hardware;

    BondInspector(final VerbsScope scope, final Datagrams datagrams) {
        this.datagrams = datagrams;
        core = scope.core();
        qps = scope.qps();
        queues = new QueueInspection(scope);
        hardware = new HardwareInspector(scope);
    }

    /**
     * A vQP: state, cursors, requests that are not done, the queues that it shares with others, and the physical queue
     * pair.
     */
    void queuePair(final int qpNum, final Inspection to) {
        assert core.holdsLock();
        final BondQueuePair connected = qps.byNum(qpNum);
        final BondDatagramQp datagram = datagrams.byNum(qpNum);
        if (connected != null) {
            begin(connected, to);
            QueueInspection.tell(connected, QpRow.tell(connected, to), to);
            HardwareInspector.queuePair(QpRow.physical(connected), to);
        } else if (datagram != null) {
            begin(datagram, to);
            to.value("lives on", datagram.lives().isEmpty() ? "no member" : datagram.lives());
            final List<String> destinations = datagram.destinations();
            for (int i = 0; i < Math.min(MOST_DESTINATIONS, destinations.size()); i++) {
                to.value("destination " + i, destinations.get(i));
            }
            QueueInspection.tell(datagram, false, to);
            HardwareInspector.queuePair(datagram.physical(), to);
        }
    }

    private static void begin(final VirtualQueuePair qp, final Inspection to) {
        to.section("queue pair");
        to.value("qpn", "0x" + Integer.toHexString(qp.qpNum()));
        to.value("type", qp.qpType());
        to.value("state", qp.state());
        to.value("incarnation", qp.incarnation());
    }

    /** The queues that the application has made, besides queue pairs. */
    List<Inspected> queues() {
        assert core.holdsLock();
        return queues.all();
    }

    /** Those of them that a vQP uses; none where there is none of that number. */
    List<Inspected> queuesOf(final int qpNum) {
        assert core.holdsLock();
        final BondQueuePair connected = qps.byNum(qpNum);
        final VirtualQueuePair qp = connected == null ? datagrams.byNum(qpNum) : connected;
        return qp == null ? List.of() : QueueInspection.of(qp);
    }

    /** The path that a vQP lives on, or an empty text; null where it is none of that bond. */
    @Nullable String path(final QueuePair qp) {
        assert core.holdsLock();
        if (qp instanceof BondDatagramQp own && datagrams.byNum(own.qpNum()) == own) {
            return own.lives();
        }
        return qp instanceof BondQueuePair own && qps.byNum(own.qpNum()) == own ? QpRow.path(own) : null;
    }

    /** The path on which a second connection of a vQP stands by, or an empty text. */
    String standby(final QueuePair qp) {
        assert core.holdsLock();
        return qp instanceof BondQueuePair own && qps.byNum(own.qpNum()) == own ? QpRow.standby(own) : "";
    }

    /** What hardware says of a vQP; nothing where it has none now, or there is none of that number. */
    void hardware(final int qpNum, final Inspection to) {
        assert core.holdsLock();
        final BondQueuePair qp = qps.byNum(qpNum);
        final BondDatagramQp datagram = datagrams.byNum(qpNum);
        final QueuePair physical = qp != null ? QpRow.physical(qp) : datagram == null ? null : datagram.physical();
        if (physical != null) {
            HardwareInspector.queuePair(physical, to);
        }
    }

    /** Every member: what the bond takes it for, its port and what its device counts. */
    void members(final Inspection to) {
        assert core.holdsLock();
        hardware.members(to);
    }
}
