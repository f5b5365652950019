package io.vhca.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.recovery.wire.FailureReason;
import io.vhca.recovery.wire.ReceiverCounts;
import io.vhca.recovery.wire.RecordType;
import io.vhca.recovery.wire.RecoveryRequest;
import io.vhca.recovery.wire.SessionId;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A peer that moves as planned lets go of the connection first, and says why in the REQ that follows. */
class PlannedByPeerTest {
    private static final SessionId SESSION = new SessionId(7, 8);
    private static final RecoveryConfig CONFIG = SmallBounds.CONFIG;
    private static final PathId PATH = new PathId(0, 0);
    private static final long NOW_NS = 10;

    private PathTable paths = new PathTable(2, 1, 50, 400);
    private RecoveryMachine machine = connected(0);

    private RecoveryMachine connected(final int side) {
        paths = new PathTable(2, 1, 50, 400);
        final RecoveryMachine fresh = new RecoveryMachine(
                new VqpIdentity("bond0", SESSION, 5, 6, side), CONFIG, paths, new Random(1), IdleActions.create(),
                Journal.NONE);
        fresh.usePath(PATH);
        fresh.onEstablished(0);
        return fresh;
    }

    private static RecoveryRequest request(final FailureReason why, final int epoch) {
        return new RecoveryRequest(RecordType.RECOVER, why, SESSION, 6, 5, epoch, 0, new ReceiverCounts(40, 41));
    }

    private boolean isSuspect() {
        return paths.penaltyNs(PATH, NOW_NS) > 0;
    }

    private void goOnTo(final RecoveryState at) {
        if (at != RecoveryState.FENCING) {
            machine.onFenced(NOW_NS);
        }
        if (at == RecoveryState.CONNECTING) {
            machine.onDrained(new ReceiverCounts(20, 21), NOW_NS);
        }
        assertThat(machine.state()).isEqualTo(at);
    }

    @Test
    void aPathThatThePeerLeftAsPlannedIsNotSuspect() {
        for (final int side : new int[] {0, 1}) {
            for (final RecoveryState at :
                    List.of(RecoveryState.FENCING, RecoveryState.DRAINING, RecoveryState.CONNECTING)) {
                for (final FailureReason told : List.of(FailureReason.PLANNED, FailureReason.RETRY_EXC)) {
                    machine = connected(side);
                    machine.onPathFailure(FailureReason.CM_DISCONNECTED, NOW_NS);
                    goOnTo(at);
                    assertThat(isSuspect()).isTrue();
                    machine.onRequest(request(told, 0), 3, PathId.NONE, NOW_NS);
                    assertThat(isSuspect()).as("after a stale one").isTrue();
                    machine.onRequest(request(told, 1), 4, PathId.NONE, NOW_NS);
                    final boolean isPlanned = told == FailureReason.PLANNED;
                    assertThat(isSuspect()).as("side %d %s %s", side, at, told).isNotEqualTo(isPlanned);
                    assertThat(machine.reason())
                            .isEqualTo(isPlanned ? FailureReason.PLANNED : FailureReason.CM_DISCONNECTED);
                }
            }
        }
    }

    @Test
    void whatElseFailedStaysSuspect() {
        machine.onPathFailure(FailureReason.RETRY_EXC, NOW_NS);
        machine.onRequest(request(FailureReason.PLANNED, 1), 3, PathId.NONE, NOW_NS);
        assertThat(isSuspect()).isTrue();
        assertThat(machine.reason()).isEqualTo(FailureReason.RETRY_EXC);
    }

    /** Of two failures in a row the one that was none is taken back. */
    @Test
    void whatFailedBeforeStaysSuspect() {
        paths.failed(PATH, NOW_NS - 1);
        machine.onPathFailure(FailureReason.CM_DISCONNECTED, NOW_NS);
        assertThat(paths.consecutiveFailures(PATH)).isEqualTo(2);
        machine.onRequest(request(FailureReason.PLANNED, 1), 3, PathId.NONE, NOW_NS);
        assertThat(paths.consecutiveFailures(PATH)).isOne();
        assertThat(paths.penaltyNs(PATH, NOW_NS)).isEqualTo(49);
    }
}
