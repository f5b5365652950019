package io.vhca.ras.snapshot;

import io.vhca.api.QpState;
import io.vhca.api.QpType;
import io.vhca.bond.BondContext;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.core.BondObserver;
import io.vhca.bond.core.QpVisitor;
import io.vhca.bond.trace.TraceObject;
import io.vhca.recovery.RecoveryState;
import java.net.InetAddress;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the devices of a bond said of each queue pair and each port, the last few things that differ: every
 * {@code state_interval}, a few queue pairs a turn, so that a thousand of them do not keep the bond from what it is
 * there for. Nothing is asked and nothing is kept while that is 0. Control lock; the bond's own thread.
 */
public final class StateHistory implements BondObserver {
    /** Different ones that are kept of each object; of those that say the same the last. */
    static final int KEPT = 4;

    /** Queue pairs that one turn asks for at most. */
    static final int QPS_A_TURN = 128;

    private final BondContext bond;
    private final Map<String, ArrayDeque<Sample>> samples = new HashMap<>();
    private final Set<String> present = new HashSet<>();
    private long nextNs;
    private boolean isBegun;
    /** The first index that is still to be asked for in this round; -1 when all are. */
    private int nextIndex = -1;

    private record Sample(Instant time, List<Report.Fact> facts) {}

    private StateHistory(final BondContext bond) {
        this.bond = bond;
    }

    /** Lets a bond keep what its devices say. */
    public static StateHistory attach(final BondContext bond) {
        final StateHistory history = new StateHistory(bond);
        bond.admin().observe(history);
        return history;
    }

    @Override
    public void onTurn(final long nowNs) {
        final long intervalNs = bond.admin().config().get(BondOption.STATE_INTERVAL);
        if (intervalNs == 0) {
            samples.clear();
            isBegun = false;
            nextIndex = -1;
            return;
        }
        if (nextIndex < 0 && (!isBegun || nowNs - nextNs >= 0)) {
            isBegun = true;
            nextNs = nowNs + intervalNs;
            nextIndex = 0;
            present.clear();
            final Report.Builder members = new Report.Builder();
            bond.admin().inspectMembers(members);
            members.build().sections().forEach(section -> keep(section.title(), section.facts()));
        }
        if (nextIndex >= 0) {
            askQueuePairs();
        }
    }

    private void askQueuePairs() {
        final Numbers numbers = new Numbers();
        final boolean areMore = bond.admin().visit(nextIndex, QPS_A_TURN, numbers);
        for (final int qpNum : numbers.connected) {
            final String object = TraceObject.text(TraceObject.qp(qpNum));
            present.add(object);
            final Report.Builder found = new Report.Builder();
            bond.admin().inspectHardware(qpNum, found);
            found.build().sections().forEach(section -> keep(object, section.facts()));
        }
        nextIndex = areMore ? nextIndex + QPS_A_TURN : -1;
        if (!areMore) {
            // Members that are gone are what one wants to read of; of queue pairs there is no end.
            samples.keySet().removeIf(object -> object.startsWith("qp:") && !present.contains(object));
        }
    }

    private void keep(final String object, final List<Report.Fact> facts) {
        final ArrayDeque<Sample> own = samples.computeIfAbsent(object, any -> new ArrayDeque<>(KEPT));
        final Sample last = own.peekLast();
        if (last != null && last.facts().equals(facts)) {
            own.removeLast();
        } else if (own.size() == KEPT) {
            own.removeFirst();
        }
        own.addLast(new Sample(Instant.now(), facts));
    }

    /** Adds what was kept of the members, and of a queue pair where one is meant. Control lock. */
    void tell(final long object, final Report.Builder to) {
        samples.forEach((name, own) -> {
            if (!name.startsWith("qp:") || name.equals(TraceObject.text(object))) {
                own.forEach(sample -> {
                    to.section(name + " before, " + sample.time());
                    sample.facts().forEach(fact -> to.value(fact.name(), fact.value()));
                });
            }
        });
    }

    /** The connected queue pairs of a few indexes. */
    private static final class Numbers implements QpVisitor {
        private final List<Integer> connected = new ArrayList<>();

        @Override
        public void onQueuePair(
                final int index,
                final int qpNum,
                final QpType type,
                final QpState state,
                final @Nullable RecoveryState recovery,
                final int epoch,
                final int member,
                final @Nullable InetAddress remote,
                final long posted,
                final long completed,
                final long received) {
            if (type == QpType.RC) {
                connected.add(qpNum);
            }
        }
    }
}
