package io.vhca.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.recovery.wire.FailureReason;
import org.junit.jupiter.api.Test;

class PathChoiceTest {
    private final PathTable table = new PathTable(2, 2, 100, 350);
    private final PathChoice choice = new PathChoice(table);

    private static PathId path(final int local, final int remote) {
        return new PathId(local, remote);
    }

    @Test
    void eachPathIsTriedOnceUntilTheTriedOnesAreForgotten() {
        for (int round = 0; round < 2; round++) {
            assertThat(choice.next(0)).isEqualTo(path(0, 0));
            assertThat(choice.next(0)).isEqualTo(path(0, 1));
            assertThat(choice.next(0)).isEqualTo(path(1, 0));
            assertThat(choice.next(0)).isEqualTo(path(1, 1));
            assertThat(choice.next(0)).isNull();
            choice.forgetTried();
        }
        while (choice.next(0) != null) {
            assertThat(table.usable(path(0, 0))).isTrue();
        }
        choice.forgetTried(1);
        choice.forgetTried(2);
        choice.forgetTried(-1);
        assertThat(choice.next(0)).isEqualTo(path(1, 0));
        assertThat(choice.next(0)).isEqualTo(path(1, 1));
        assertThat(choice.next(0)).isNull();
    }

    @Test
    void aWantedPathComesFirstOnceThoughItIsSuspectButNotWhenItIsDown() {
        assertThat(choice.failed(path(1, 1), FailureReason.RETRY_EXC, 0)).isTrue();
        choice.want(path(1, 1));
        assertThat(choice.next(0)).isEqualTo(path(1, 1));
        assertThat(choice.next(0)).isEqualTo(path(0, 0));
        table.localUp(1, false);
        choice.forgetTried();
        choice.want(path(1, 1));
        assertThat(choice.next(0)).isEqualTo(path(0, 0));
    }

    /** The peer asked first: what this side wanted to ask over is of the recovery that is over. */
    @Test
    void aWantedPathIsNotWantedAnyMoreOnceARecoveryEndedWell() {
        choice.want(path(1, 1));
        choice.succeeded(path(1, 1), 0);
        choice.begin();
        choice.failed(path(1, 1), FailureReason.RETRY_EXC, 5);
        assertThat(choice.next(5)).isEqualTo(path(0, 0));
    }

    @Test
    void onlyAnEndOfTheConnectionIsExcusedAndOnlyOnce() {
        choice.failed(path(0, 0), FailureReason.CM_DISCONNECTED, 5);
        assertThat(table.penaltyNs(path(0, 0), 5)).isEqualTo(100);
        assertThat(choice.excuse()).isTrue();
        assertThat(table.penaltyNs(path(0, 0), 5)).isZero();
        assertThat(choice.excuse()).isFalse();
        choice.failed(path(0, 0), FailureReason.RETRY_EXC, 5);
        assertThat(choice.excuse()).isFalse();
        choice.failed(path(0, 0), FailureReason.CM_DISCONNECTED, 6);
        choice.succeeded(path(0, 0), 1_000);
        assertThat(choice.excuse()).as("a success came between").isFalse();
        choice.failed(PathId.NONE, FailureReason.CM_DISCONNECTED, 7);
        assertThat(choice.excuse()).as("a path that nobody knows").isFalse();
        assertThat(choice.failed(path(0, 0), FailureReason.PLANNED, 8)).isFalse();
        assertThat(table.penaltyNs(path(0, 0), 8)).isZero();
    }
}
