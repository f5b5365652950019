package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.AccessFlags;
import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.MemoryRegion;
import io.vhca.api.NativeMemory;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.VerbsException;
import io.vhca.api.WrOpcode;
import io.vhca.bond.config.BondConfig;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** SQD on a vQP: what the hardware has finishes, what is posted later waits, also when a path dies meanwhile. */
class SendDrainTest {
    private static final long MS = BondPair.MS;
    private static final int UNSIGNALED = 0;

    private static BondConfig.Builder asIs(final BondConfig.Builder config) {
        return config;
    }

    private static void drain(final BondPair pair, final boolean isNotified) {
        final QpAttributes change = new QpAttributes().qpState(QpState.SQD);
        pair.left.qp().modify(isNotified ? change.enSqdAsyncNotify(1) : change);
    }

    private static void goOn(final BondPair pair) {
        pair.left.qp().modify(new QpAttributes().qpState(QpState.RTS));
    }

    private static List<AsyncEvent> events(final BondPair pair) {
        final List<AsyncEvent> events = new ArrayList<>();
        for (AsyncEvent event = pair.left.bond.getAsyncEvent(0);
                event != null;
                event = pair.left.bond.getAsyncEvent(0)) {
            events.add(event);
            pair.left.bond.ackAsyncEvent(event);
        }
        return events;
    }

    private static boolean received(final BondPair pair, final int count) {
        return pair.runUntil(() -> pair.right.received == count, 500 * MS);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 5})
    void whatWasPostedFinishesAndWhatComesLaterWaits(final int before) {
        try (BondPair pair = new BondPair(SendDrainTest::asIs)) {
            for (int i = 0; i < before; i++) {
                pair.left.send(UNSIGNALED);
            }
            drain(pair, true);
            assertThat(pair.left.qp().query().qpState()).isEqualTo(QpState.SQD);
            assertThat(events(pair)).as("not before the bond's thread has looked").isEmpty();
            pair.left.send();
            pair.left.send();
            pair.runFor(100 * MS);
            assertThat(pair.right.received).isEqualTo(before);
            assertThat(events(pair))
                    .containsExactly(AsyncEvent.ofQp(AsyncEventType.SQ_DRAINED, pair.left.qp()));
            assertThat(pair.left.sends).isEmpty();
            goOn(pair);
            assertThat(received(pair, before + 2)).isTrue();
            assertThat(pair.runUntil(() -> pair.left.sends.size() == 2, 100 * MS)).isTrue();
            assertThat(events(pair)).as("once").isEmpty();
        }
    }

    @Test
    void whoDidNotAskIsNotTold() {
        try (BondPair pair = new BondPair(SendDrainTest::asIs)) {
            pair.left.send();
            drain(pair, false);
            pair.runFor(100 * MS);
            assertThat(pair.left.sends).hasSize(1);
            assertThat(events(pair)).isEmpty();
        }
    }

    @Test
    void theQueueIsNotDrainedBeforeAFailoverHasFinishedIt() {
        try (BondPair pair = new BondPair(SendDrainTest::asIs)) {
            pair.block(0, true, false, true);
            for (int i = 0; i < 5; i++) {
                pair.left.send(UNSIGNALED);
            }
            drain(pair, true);
            pair.runFor(MS);
            assertThat(events(pair)).as("nothing of it has arrived").isEmpty();
            pair.left.send();
            assertThat(pair.runUntil(() -> !pair.left.failovers().isEmpty(), 5_000 * MS)).isTrue();
            pair.runFor(100 * MS);
            assertThat(pair.right.received).as("what was posted before, once").isEqualTo(5);
            assertThat(events(pair))
                    .extracting(AsyncEvent::type)
                    .containsExactly(AsyncEventType.SQ_DRAINED);
            goOn(pair);
            assertThat(received(pair, 6)).isTrue();
        }
    }

    @Test
    void aDrainedQueueStaysSoAcrossAFailover() {
        try (BondPair pair = new BondPair(SendDrainTest::asIs)) {
            drain(pair, true);
            pair.left.send();
            pair.runFor(10 * MS);
            assertThat(events(pair)).hasSize(1);
            pair.left.ports[0].up(false);
            assertThat(pair.runUntil(() -> !pair.left.failovers().isEmpty(), 1_000 * MS)).isTrue();
            pair.left.send();
            pair.right.send();
            pair.runFor(100 * MS);
            assertThat(pair.left.received).as("receives go on").isEqualTo(1);
            assertThat(pair.right.received).isZero();
            assertThat(events(pair)).isEmpty();
            goOn(pair);
            assertThat(received(pair, 2)).isTrue();
        }
    }

    @Test
    void thePathMayDieBetweenTheDrainAndWhatGoesOn() {
        try (BondPair pair = new BondPair(SendDrainTest::asIs)) {
            drain(pair, false);
            pair.left.send();
            pair.left.ports[0].up(false);
            goOn(pair);
            // The hardware has it from here on, and cannot send it.
            drain(pair, true);
            pair.left.send();
            assertThat(received(pair, 1)).isTrue();
            pair.runFor(100 * MS);
            assertThat(pair.right.received).isEqualTo(1);
            assertThat(events(pair)).extracting(AsyncEvent::type).contains(AsyncEventType.SQ_DRAINED);
            goOn(pair);
            assertThat(received(pair, 2)).isTrue();
        }
    }

    /** An atomic that the peer's bond has been asked for is given; the next one and what is behind it wait. */
    @Test
    void anAtomicThatWasAskedForFinishesBeforeTheQueueIsDrained() {
        try (BondPair pair = new BondPair(SendDrainTest::asIs);
                Arena arena = Arena.ofConfined();
                MemoryRegion word = pair.right.pd.regMr(
                        arena.allocate(Long.BYTES, 8), AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ATOMIC);
                MemoryRegion result = pair.left.pd.regMr(arena.allocate(Long.BYTES, 8), AccessFlags.LOCAL_WRITE)) {
            final SendWorkRequest wr = SendWorkRequest.allocate(arena, 1);
            wr.opcode(WrOpcode.ATOMIC_FETCH_AND_ADD)
                    .sendFlags(SendFlags.SIGNALED)
                    .sge(result.addr(), Long.BYTES, result.lkey())
                    .atomic(word.addr(), word.rkey(), 5, 0);
            for (int round = 1; round <= 40; round++) {
                assertThat(pair.left.qp().postSend(wr)).isEqualTo(1);
                assertThat(pair.left.qp().postSend(wr)).isEqualTo(1);
                pair.left.send(UNSIGNALED);
                pair.runFor(round * 500L);
                drain(pair, true);
                pair.runFor(10 * MS);
                final int sends = pair.left.sends.size();
                assertThat(events(pair)).hasSize(1);
                pair.runFor(10 * MS);
                assertThat(pair.left.sends).as("drained is drained").hasSize(sends);
                goOn(pair);
                assertThat(received(pair, round)).isTrue();
                assertThat(pair.runUntil(() -> pair.left.sends.size() % 2 == 0, 100 * MS)).isTrue();
                assertThat(NativeMemory.getLong(word.addr())).isEqualTo(10L * round);
            }
        }
    }

    @Test
    void fromErrorAndResetItBeginsAnew() {
        try (BondPair pair = new BondPair(SendDrainTest::asIs)) {
            drain(pair, true);
            pair.left.send();
            pair.left.qp().modify(new QpAttributes().qpState(QpState.ERR));
            pair.runFor(MS);
            assertThat(pair.left.sends).as("flushed").hasSize(1);
            assertThat(events(pair)).extracting(AsyncEvent::type).doesNotContain(AsyncEventType.SQ_DRAINED);
            assertThatThrownBy(() -> drain(pair, true)).isInstanceOf(VerbsException.class);
        }
    }
}
