package io.vhca.physical.soft.engine.qp;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Gid;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QueuePair;
import io.vhca.physical.soft.engine.core.FakeCore;
import io.vhca.physical.soft.engine.core.UseCount;
import io.vhca.physical.soft.engine.memory.KeyTable;
import io.vhca.physical.soft.engine.memory.MemoryDomain;
import io.vhca.physical.soft.engine.port.PortRate;
import io.vhca.physical.soft.engine.queue.SoftCq;
import io.vhca.physical.soft.wire.PacketFlyweight;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Timers of several queue pairs and their turns: never late, and each gets its turn in order. */
class EarliestDeadlineTest {
    private final FakeCore core = new FakeCore();
    private final QpTable table = new QpTable(core, new SplittableRandom(7));
    private final RunQueue turns = new RunQueue(new PortRate(core.counters(), 0, new Gid(0, 0)));
    private final EarliestDeadline earliest = new EarliestDeadline(table);
    private final SoftCq cq = new SoftCq(core, new UseCount(core), null, 16, null, null);
    private final MemoryDomain domain = new MemoryDomain(
            core, new KeyTable(core, new SplittableRandom(1)), stub(ProtectionDomain.class));
    private final List<Timer> timers = new ArrayList<>();
    private final List<Integer> runs = new ArrayList<>();

    private static <T> T stub(final Class<T> type) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
            throw new AssertionError(method + " is not for the engine");
        }));
    }

    /** A transport that is nothing but a timer and a turn. */
    private final class Timer implements Transport {
        private final int index = timers.size();
        private long atNs = Long.MAX_VALUE;
        private int fired;
        private int turnsWanted;

        void set(final long deadlineNs) {
            atNs = deadlineNs;
            earliest.timerSet(deadlineNs);
        }

        @Override
        public void onPacket(final PacketFlyweight packet) {
            throw new AssertionError("no packet arrives");
        }

        @Override
        public boolean run(final int budget) {
            runs.add(index);
            return --turnsWanted > 0;
        }

        @Override
        public boolean hasDeadline() {
            return atNs != Long.MAX_VALUE;
        }

        @Override
        public long deadlineNs() {
            return atNs;
        }

        @Override
        public void onDeadline() {
            fired++;
            atNs = Long.MAX_VALUE;
        }

        @Override
        public void onState(final QpState from, final QpState to) {
            // Its state does not matter.
        }

        @Override
        public void abandon(final boolean isLost) {
            // Nothing is held.
        }

        @Override
        public void forget() {
            // Nothing is held.
        }

        @Override
        public void stall() {
            throw new AssertionError("nothing stalls");
        }

        @Override
        public boolean isStalled() {
            return false;
        }

        @Override
        public boolean expectsAnswer() {
            return false;
        }

        @Override
        public boolean holdsUnplaced() {
            return false;
        }
    }

    private QpContext add() {
        final Timer timer = new Timer();
        timers.add(timer);
        final QpContext qp = new QpContext(
                core,
                turns,
                domain,
                stub(QueuePair.class),
                table.allocate(),
                QpInitAttributes.rc(cq, cq, new QpCapabilities(1, 1, 1, 1, 0)),
                context -> timer);
        table.put(qp);
        return qp;
    }

    @AfterEach
    void close() {
        while (table.size() > 0) {
            final QpContext qp = table.get(0);
            table.remove(qp);
            qp.close();
        }
        cq.close();
    }

    @Test
    void theFirstTimerFiresFirst() {
        add();
        add();
        add();
        timers.get(0).set(300);
        timers.get(1).set(100);
        timers.get(2).set(200);

        assertThat(earliest.next()).isEqualTo(100);
        assertThat(earliest.fire(99)).isZero();
        assertThat(earliest.fire(200)).isEqualTo(2);
        assertThat(timers).extracting(timer -> timer.fired).containsExactly(0, 1, 1);
        assertThat(earliest.next()).isEqualTo(300);
        timers.get(0).atNs = Long.MAX_VALUE;
        earliest.timerCleared();
        assertThat(earliest.next()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aTimerOfAnyOriginFires() {
        add();
        timers.get(0).set(Long.MIN_VALUE + 5);
        assertThat(earliest.fire(Long.MAX_VALUE)).as("a moment before").isZero();
        assertThat(earliest.fire(Long.MIN_VALUE + 5)).isEqualTo(1);
    }

    @Test
    void whoRangTakesTurnsInOrder() {
        final QpContext first = add();
        final QpContext second = add();
        timers.get(0).turnsWanted = 2;
        first.ring();
        first.ring();
        second.ring();
        assertThat(turns.hasRung()).isTrue();
        assertThat(turns.takeRung()).as("each once").isEqualTo(2);
        // A queue pair in RESET has its turn as well: the transport decides.
        assertThat(turns.run(16, 0)).isEqualTo(2);
        assertThat(turns.run(16, 0)).isEqualTo(1);
        assertThat(turns.run(16, 0)).isZero();
        assertThat(runs).containsExactly(0, 1, 0);
        assertThat(turns.hasWork()).isFalse();
    }

    @Test
    void aNumberFindsItsQueuePairUntilItIsRemoved() {
        final List<QpContext> all = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            all.add(add());
        }
        for (final QpContext qp : all) {
            assertThat(table.find(qp.qpNum())).isSameAs(qp);
        }
        final QpContext gone = all.get(3);
        table.remove(gone);
        assertThat(table.find(gone.qpNum())).isNull();
        assertThat(table.size()).isEqualTo(39);
        assertThat(table.allocate()).isNotEqualTo(gone.qpNum());
        gone.close();
    }
}
