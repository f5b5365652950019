package io.vhca.exs.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Errno;
import io.vhca.api.WcStatus;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A peer that is silent is probed, and one that vanished is heard of, on a clock that the test sets. */
class KeepAliveTest {
    private static final int LENGTH = 50;
    private static final long SILENCE_NS = FakePair.SMALL.keepAliveNs();
    private static final long STEP_NS = SILENCE_NS / 8;

    private final FakePair pair = new FakePair(false);
    private long nowNs = -3 * SILENCE_NS;

    @AfterEach
    void close() {
        pair.close();
    }

    private void receive() {
        pair.left.engine.nextRecv().add(pair.allocate(LENGTH), LENGTH, 1, 8, null);
        pair.left.engine.addRecv();
        pair.settle();
    }

    private void sendToLeft() {
        pair.right.engine.nextSend().add(pair.allocate(LENGTH), LENGTH, 1, 7, null);
        pair.right.engine.addSend();
        pair.right.engine.progress();
    }

    private void pass(final long forNs) {
        for (final long end = nowNs + forNs; nowNs < end; nowNs += STEP_NS) {
            pair.left.engine.look(nowNs);
            pair.settle();
        }
    }

    @Test
    void aPeerThatOnlyListensIsProbedAndNothingElseComesOfIt() {
        receive();
        pass(10 * SILENCE_NS);
        assertThat(pair.left.probes).isBetween(8L, 10L);
        assertThat(pair.right.probes).isZero();
        assertThat(pair.left.engine.errno()).isZero();
        assertThat(pair.left.done).isEmpty();
        assertThat(pair.left.engine.state().data()).isEqualTo(FakePair.SMALL.dataCredits());
        assertThat(pair.left.engine.state().control()).isEqualTo(FakePair.SMALL.controlCredits());
    }

    @Test
    void aReceiveHearsThatThePeerVanished() {
        receive();
        pass(SILENCE_NS);
        pair.right.isGone = true;
        pass(SILENCE_NS + SILENCE_NS / 4);
        assertThat(pair.left.engine.errno()).isEqualTo(Errno.ECONNRESET);
        assertThat(pair.left.engine.failure()).contains("RETRY_EXC_ERR");
        pair.left.engine.over(Errno.ECONNRESET, "");
        assertThat(pair.left.done).extracting(FakeEnd.Done::errno).containsExactly(Errno.ECONNRESET);
    }

    /** A failed queue pair of which only flushes come: of a receive, or of the probe itself. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void flushesWithoutACauseAreAnErrorInTime(final boolean isProbe) {
        receive();
        pass(SILENCE_NS);
        if (isProbe) {
            pair.left.engine.onSendFailed(pair.left.happened, WcStatus.WR_FLUSH_ERR);
        } else {
            pair.left.engine.onFlushed();
        }
        pass(SILENCE_NS / 4);
        assertThat(pair.left.engine.errno()).as("its cause may come yet").isZero();
        pass(SILENCE_NS);
        assertThat(pair.left.engine.errno()).isEqualTo(Errno.ECONNRESET);
        assertThat(pair.left.engine.failure()).contains("WR_FLUSH_ERR");
    }

    @Test
    void theCauseOfAFlushMayComeBehindIt() {
        receive();
        pass(SILENCE_NS);
        pair.left.engine.onFlushed();
        pair.left.engine.onSendFailed(pair.left.happened, WcStatus.REM_ACCESS_ERR);
        pass(2 * SILENCE_NS);
        assertThat(pair.left.engine.errno()).isEqualTo(Errno.EFAULT);
    }

    /** The probe asks for the completion of what was sent before it: nothing else would ever tell. */
    @Test
    void messagesThatNobodyWaitsForDoNotKeepTheProbeBack() {
        pair.left.engine.nextSend().add(pair.allocate(LENGTH), LENGTH, 1, 7, null);
        pair.left.engine.addSend();
        pair.settle();
        assertThat(pair.left.done).hasSize(1);
        pair.right.isGone = true;
        pass(2 * SILENCE_NS);
        assertThat(pair.left.engine.errno()).isEqualTo(Errno.ECONNRESET);
    }

    @Test
    void whoHearsSomethingDoesNotProbe() {
        for (int i = 0; i < 40; i++) {
            receive();
            sendToLeft();
            pass(SILENCE_NS / 4);
        }
        assertThat(pair.left.done).hasSize(40);
        assertThat(pair.left.probes).isZero();
    }

    @Test
    void aProbeThatIsUnderWayIsNotFollowedByAnother() {
        for (int look = 0; look < 100; look++) {
            pair.left.engine.look(nowNs += STEP_NS);
        }
        assertThat(pair.left.probes).isOne();
    }

    @Test
    void whoSetsNoBoundProbesNobody() {
        final KeepAlive none = new KeepAlive(0);
        for (int look = 0; look < 100; look++) {
            assertThat(none.isProbeDue(nowNs += SILENCE_NS)).isFalse();
        }
    }
}
