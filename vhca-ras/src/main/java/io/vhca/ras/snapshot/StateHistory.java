package io.vhca.ras.snapshot;

import io.vhca.bond.BondContext;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.core.BondObserver;
import io.vhca.bond.core.Inspected;
import io.vhca.bond.trace.TraceObject;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the devices of a bond said of each queue pair, of datagrams too, and each port, and how full the queues were
 * that several share, the last few things that differ: every {@code state_interval}, a few a turn, so that a thousand
 * of them do not keep the bond from what it is there for. Nobody who posts or polls is kept for it. What the kernel
 * counts of its devices is read by a thread of its own, as a card may take its time. Nothing is asked and nothing is
 * kept while the interval is 0. Control lock; the bond's own thread.
 */
public final class StateHistory implements BondObserver {
    /** Different ones that are kept of each object; of those that say the same the last. */
    static final int KEPT = 4;

    /** Queue pairs that one turn asks for at most, and queues that they share. */
    static final int QPS_A_TURN = 128;

    private final BondContext bond;
    private final KernelCounters counters;
    private final Map<String, ArrayDeque<Sample>> samples = new HashMap<>();
    private final Set<String> present = new HashSet<>();
    private long beganNs;
    private boolean isBegun;
    /** The first index that is still to be asked for in this round; -1 when all are. */
    private int nextIndex = -1;
    /** Queues that are still to be looked at in this round. */
    private List<Inspected> queues = List.of();

    private record Sample(Instant time, List<Report.Fact> facts) {}

    private StateHistory(final BondContext bond, final KernelCounters counters) {
        this.bond = bond;
        this.counters = counters;
    }

    /** Lets a bond keep what its devices say. */
    public static StateHistory attach(final BondContext bond) {
        return attach(bond, DeviceCounters.DEVICES);
    }

    /** @param devices the directory that has one of each device of the kernel's */
    public static StateHistory attach(final BondContext bond, final Path devices) {
        final StateHistory history = new StateHistory(bond, new KernelCounters(devices));
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
            queues = List.of();
            return;
        }
        counters.read().forEach(section -> keep(section.title(), section.facts()));
        if (nextIndex < 0 && queues.isEmpty() && (!isBegun || nowNs - beganNs >= intervalNs)) {
            isBegun = true;
            beganNs = nowNs;
            nextIndex = 0;
            present.clear();
            final Report.Builder members = new Report.Builder();
            bond.admin().inspectMembers(members);
            members.build().sections().forEach(section -> keep(section.title(), section.facts()));
            queues = bond.admin().queues();
            counters.ask(bond.admin().config().members());
        }
        if (nextIndex >= 0) {
            askQueuePairs();
        } else if (!queues.isEmpty()) {
            askQueues();
        }
    }

    private void askQueuePairs() {
        final List<Integer> numbers = new ArrayList<>();
        final boolean areMore = bond.admin().visit(
                nextIndex, QPS_A_TURN,
                (index, qpNum, type, state, recovery, epoch, member, remote, posted, completed, received) ->
                        numbers.add(qpNum));
        for (final int qpNum : numbers) {
            final String object = TraceObject.text(TraceObject.qp(qpNum));
            present.add(object);
            final Report.Builder found = new Report.Builder();
            bond.admin().inspectHardware(qpNum, found);
            found.build().sections().forEach(section -> keep(object, section.facts()));
        }
        nextIndex = areMore ? nextIndex + QPS_A_TURN : -1;
        if (!areMore) {
            forgetGone();
        }
    }

    private void askQueues() {
        final int count = Math.min(QPS_A_TURN, queues.size());
        final Report.Builder found = new Report.Builder();
        queues.subList(0, count).forEach(queue -> queue.inspect(found));
        found.build().sections().forEach(section -> keep(section.title(), section.facts()));
        queues = queues.subList(count, queues.size());
    }

    /** Members that are gone are what one wants to read of; of queue pairs and queues there is no end. */
    private void forgetGone() {
        queues.forEach(queue -> present.add(queue.inspectedName()));
        samples.keySet().removeIf(object -> isOfApplication(object) && !present.contains(object));
    }

    /** Whether the application makes such objects, by the names that objects are traced by. */
    private static boolean isOfApplication(final String object) {
        return object.startsWith("qp:") || object.startsWith("cq:") || object.startsWith("srq:");
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

    /** Adds what was kept of the members, and of a queue pair and its queues where one is meant. Control lock. */
    void tell(final long object, final Report.Builder to) {
        final Set<String> meant = new HashSet<>(List.of(TraceObject.text(object)));
        if (object != TraceObject.NONE) {
            bond.admin().queuesOf((int) object).forEach(queue -> meant.add(queue.inspectedName()));
        }
        samples.forEach((name, own) -> {
            if (!isOfApplication(name) || meant.contains(name)) {
                own.forEach(sample -> {
                    to.section(name + " before, " + sample.time());
                    sample.facts().forEach(fact -> to.value(fact.name(), fact.value()));
                });
            }
        });
    }

    @Override
    public void close() {
        counters.close();
    }
}
