package io.vhca.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.recovery.wire.FailureReason;
import io.vhca.recovery.wire.MemberId;
import io.vhca.recovery.wire.ReceiverCounts;
import io.vhca.recovery.wire.RecordType;
import io.vhca.recovery.wire.RecoveryRequest;
import io.vhca.recovery.wire.SessionId;
import io.vhca.recovery.wire.SessionRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Whoever is asked answers before the other gives up, though its own drain might take longer. */
class DrainPatienceTest {
    private static final SessionId SESSION = new SessionId(7, 8);
    private static final long US = 1_000;
    private static final long DRAIN_NS = 100 * US;
    private static final RecoveryConfig CONFIG = RecoveryConfig.builder().drainTimeoutNs(DRAIN_NS).build();

    private final List<JournalKind> journal = new ArrayList<>();
    private final RecoveryMachine machine = new RecoveryMachine(
            new VqpIdentity("bond0", SESSION, 5, 6, 1), CONFIG, new PathTable(2, 1, 50, 400), new Random(1),
            IdleActions.create(), event -> journal.add(event.kind()));

    private void peerAsks(final long patienceUs, final long nowNs) {
        machine.onRequest(request(patienceUs), 3, PathId.NONE, nowNs);
    }

    private static RecoveryRequest request(final long patienceUs) {
        return new RecoveryRequest(RecordType.RECOVER, FailureReason.RETRY_EXC, SESSION, 6, 5, 1, patienceUs,
                new ReceiverCounts(0, 0));
    }

    private void fails(final long nowNs) {
        machine.onEstablished(0);
        machine.onPathFailure(FailureReason.RETRY_EXC, nowNs);
        machine.onFenced(nowNs);
        assertThat(machine.state()).isEqualTo(RecoveryState.DRAINING);
    }

    private boolean isOverAt(final long nowNs) {
        machine.doWork(nowNs - 1);
        assertThat(journal).doesNotContain(JournalKind.DRAIN_EXPIRED);
        machine.doWork(nowNs);
        return journal.contains(JournalKind.DRAIN_EXPIRED);
    }

    @Test
    void aDrainThatNobodyWaitsForTakesItsTime() {
        fails(7);
        assertThat(isOverAt(7 + DRAIN_NS)).isTrue();
    }

    @Test
    void aDrainUnderWayIsOverInHalfOfThePeersPatience() {
        fails(7);
        peerAsks(40, 10 * US);
        assertThat(isOverAt(30 * US)).isTrue();
    }

    @Test
    void aDrainThatThePeersRequestBeganIsOverInHalfOfItsPatience() {
        machine.onEstablished(0);
        peerAsks(40, 10 * US);
        machine.onFenced(11 * US);
        assertThat(isOverAt(31 * US)).isTrue();
    }

    @Test
    void aPatientPeerMakesNoDrainLonger() {
        fails(7);
        peerAsks(1_000_000, 10 * US);
        assertThat(isOverAt(7 + DRAIN_NS)).isTrue();
    }

    @Test
    void aPeerThatDoesNotSayWaitsForTheWholeDrain() {
        fails(7);
        peerAsks(0, 10 * US);
        assertThat(isOverAt(7 + DRAIN_NS)).isTrue();
    }

    @Test
    void patienceIsUnsigned() {
        final byte[] sent = new SessionRecord(new MemberId(0, 0), request(0xFFFF_FFFFL)).encode();
        final RecoveryRequest longest = SessionRecord.decode(new UnsafeBuffer(sent), 0).request();
        assertThat(longest.drainNs(Long.MAX_VALUE)).isEqualTo(0xFFFF_FFFFL * US / 2);
    }

    @Test
    void aRequestSaysHowLongItsSenderWaits() {
        assertThat(patience(500 * US)).isEqualTo(500);
        assertThat(patience(1)).as("never unsaid").isEqualTo(1);
        assertThat(patience(Long.MAX_VALUE)).isEqualTo(0xFFFF_FFFFL);
    }

    private static long patience(final long ns) {
        return request(0).withAnswerTimeoutNs(ns).answerTimeoutUs();
    }
}
