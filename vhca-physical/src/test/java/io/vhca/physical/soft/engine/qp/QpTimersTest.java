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
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Timers of several queue pairs and their turns: never late, and each gets its turn in order. */
class QpTimersTest {
    private final FakeCore core = new FakeCore();
    private final QpTable table = new QpTable(core, new SplittableRandom(7));
    private final RunQueue turns = new RunQueue(new PortRate(core.counters(), 0, new Gid(0, 0)));
    private final SoftCq cq = new SoftCq(core, new UseCount(core), null, 16, null, null);
    private final MemoryDomain domain = new MemoryDomain(
            core, new KeyTable(core, new SplittableRandom(1)), stub(ProtectionDomain.class));
    private final List<Timer> timers = new ArrayList<>();
    private final List<QpContext> qps = new ArrayList<>();
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
            qps.get(index).setTimer(deadlineNs);
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
        qps.add(qp);
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

        assertThat(turns.nextDeadlineNs()).isEqualTo(100);
        assertThat(turns.fire(99)).isZero();
        assertThat(turns.fire(200)).isEqualTo(2);
        assertThat(timers).extracting(timer -> timer.fired).containsExactly(0, 1, 1);
        assertThat(turns.nextDeadlineNs()).isEqualTo(300);
        timers.get(0).atNs = Long.MAX_VALUE;
        assertThat(turns.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
    }

    /** Against a plain look at all, on a clock that is about to wrap. */
    @Test
    void whateverIsSetMovedAndClearedNoneFiresEarlyOrLate() {
        final SplittableRandom random = new SplittableRandom(3);
        long nowNs = Long.valueOf(Long.MAX_VALUE - 50_000);
        for (int i = 0; i < 50; i++) {
            add();
        }
        for (int step = 0; step < 20_000; step++) {
            final Timer timer = timers.get(random.nextInt(timers.size()));
            switch (random.nextInt(8)) {
                case 0, 1, 2, 3 -> timer.set(nowNs + 1 + random.nextInt(1_000));
                case 4 -> timer.atNs = Long.MAX_VALUE;
                case 5 -> assertThat(turns.nextDeadlineNs()).isEqualTo(earliest(nowNs));
                default -> {
                    nowNs += random.nextInt(100);
                    fireAll(nowNs);
                }
            }
        }
        assertThat(nowNs).as("past the wrap").isNegative();
        assertThat(timers).as("has fired").allMatch(timer -> timer.fired > 0);
    }

    private long earliest(final long nowNs) {
        return timers.stream()
                .map(Timer::deadlineNs)
                .filter(deadlineNs -> deadlineNs != Long.MAX_VALUE)
                .min(Comparator.comparing(deadlineNs -> deadlineNs - nowNs))
                .orElse(Long.MAX_VALUE);
    }

    private void fireAll(final long nowNs) {
        final List<Timer> due = timers.stream()
                .filter(timer -> timer.hasDeadline() && timer.atNs - nowNs <= 0)
                .toList();
        final List<Integer> before = timers.stream().map(timer -> timer.fired).toList();
        assertThat(turns.fire(nowNs)).isEqualTo(due.size());
        for (final Timer timer : timers) {
            assertThat(timer.fired - before.get(timer.index)).isEqualTo(due.contains(timer) ? 1 : 0);
        }
    }

    @Test
    void theTimerOfOneThatIsGoneDoesNotFire() {
        final QpContext gone = add();
        add();
        timers.get(0).set(100);
        timers.get(1).set(200);
        table.remove(gone);
        gone.close();
        assertThat(turns.nextDeadlineNs()).isEqualTo(200);
        assertThat(turns.fire(200)).isEqualTo(1);
        assertThat(timers).extracting(timer -> timer.fired).containsExactly(0, 1);
    }

    @Test
    void aTimerOfAnyOriginFires() {
        add();
        timers.get(0).set(Long.MIN_VALUE + 5);
        assertThat(turns.fire(Long.MAX_VALUE)).as("a moment before").isZero();
        assertThat(turns.fire(Long.MIN_VALUE + 5)).isEqualTo(1);
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
