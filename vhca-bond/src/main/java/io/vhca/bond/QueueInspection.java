package io.vhca.bond;

import io.vhca.bond.core.Inspected;
import io.vhca.bond.core.Inspection;
import io.vhca.bond.trace.TraceObject;
import io.vhca.bond.verbs.BondCompletionQueue;
import io.vhca.bond.verbs.BondSharedReceiveQueue;
import io.vhca.bond.verbs.VerbsScope;
import io.vhca.bond.verbs.VirtualQueuePair;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Says what the queues of a bond hold: those of one vQP, and those that several share. Control lock. */
final class QueueInspection {
    private final VerbsScope scope;

    QueueInspection(final VerbsScope scope) {
        this.scope = scope;
    }

    /** A completion queue: how much waits at each member, and how much the bond keeps. */
    private record Completions(BondCompletionQueue cq) implements Inspected {
        @Override
        public String inspectedName() {
            return TraceObject.text(TraceObject.cq(cq.number()));
        }

        @Override
        public void inspect(final Inspection to) {
            if (!cq.isClosed()) {
                to.section(inspectedName());
                to.value("cqe", cq.cqe());
                to.value("reserved", cq.reserved());
                to.value("owed", cq.owedAtGlance());
                cq.atMembers().forEach((member, found) -> to.value("at " + member, found));
            }
        }
    }

    /** A shared receive queue: which members have its receives. */
    private record Receives(BondSharedReceiveQueue srq) implements Inspected {
        @Override
        public String inspectedName() {
            return TraceObject.text(TraceObject.srq(srq.number()));
        }

        @Override
        public void inspect(final Inspection to) {
            if (!srq.isClosed()) {
                to.section(inspectedName());
                to.value("capacity", srq.query().maxWr());
                to.value("limit", srq.query().limit());
                to.value("posted", srq.postedAtGlance());
                to.value("waits", srq.waitingAtGlance());
                srq.atMembers().forEach((member, found) -> to.value("at " + member, found));
            }
        }
    }

    /** The application's completion queues and shared receive queues. */
    List<Inspected> all() {
        final List<Inspected> all = new ArrayList<>();
        scope.children().all(BondCompletionQueue.class).forEach(cq -> all.add(new Completions(cq)));
        scope.shared().all().forEach(srq -> all.add(new Receives(srq)));
        return all;
    }

    /** Those of them that a vQP uses. */
    static List<Inspected> of(final VirtualQueuePair qp) {
        final Set<Inspected> queues = new LinkedHashSet<>(List.of(new Completions(qp.bondSendCq())));
        queues.add(new Completions(qp.bondRecvCq()));
        if (qp.srq() instanceof BondSharedReceiveQueue srq) {
            queues.add(new Receives(srq));
        }
        return List.copyOf(queues);
    }

    /**
     * Says what the queues of a vQP hold, its own and those that it shares, as facts about it first.
     *
     * @param recovers whether a recovery may come: what it would do with each request is said too
     */
    static void tell(final VirtualQueuePair qp, final boolean recovers, final Inspection to) {
        final List<Inspected> shared = of(qp);
        to.value("queues", shared.stream().map(Inspected::inspectedName).collect(Collectors.joining(", ")));
        to.section("memory");
        for (final String part : qp.map()) {
            final int at = part.indexOf(" at ");
            to.value(part.substring(0, at), part.substring(at + 1));
        }
        to.value("markers", qp.isWhole() ? "whole" : qp.damage());
        to.section("send queue");
        qp.sendQueue().inspect(to, recovers);
        to.section("receive queue");
        qp.recvQueue().inspect(to, false);
        shared.forEach(queue -> queue.inspect(to));
    }
}
