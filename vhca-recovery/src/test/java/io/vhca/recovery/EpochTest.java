package io.vhca.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class EpochTest {
    private final Epoch epoch = new Epoch();

    @Test
    void growsByOneAnAttemptAndNeverGoesBack() {
        epoch.next();
        epoch.next();
        assertThat(epoch.number()).isEqualTo(2);
        epoch.agreed(2);
        epoch.agreed(7);
        epoch.heard(5);
        assertThat(epoch.number()).isEqualTo(7);
        epoch.heard(0x8000_0000);
        assertThat(epoch.number()).as("unsigned").isEqualTo(0x8000_0000);
        assertThatThrownBy(() -> epoch.agreed(7)).isInstanceOf(AssertionError.class);
    }

    @Test
    void aRepeatIsAsGoodAsANewerOneWhileTheEpochIsOpen() {
        for (final RecoveryState state : RecoveryState.values()) {
            final boolean isAsking = state == RecoveryState.CONNECTING || state == RecoveryState.ANSWERED;
            final boolean isBetween = state == RecoveryState.FENCING || state == RecoveryState.DRAINING
                    || state == RecoveryState.WAITING;
            epoch.next();
            assertThat(epoch.mayRepeat(state)).as("open in " + state).isEqualTo(isAsking || isBetween);
            epoch.agreed(epoch.number());
            assertThat(epoch.mayRepeat(state)).as("agreed in " + state).isEqualTo(isAsking);
        }
    }
}
