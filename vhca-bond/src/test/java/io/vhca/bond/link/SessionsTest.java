package io.vhca.bond.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.SessionId;
import org.junit.jupiter.api.Test;

class SessionsTest {
    private static final SessionId ONE = new SessionId(1, 0);

    @Test
    void theFirstEndOfASessionStaysTillItIsForgottenOrTheOldest() {
        final Tombstones tombstones = new Tombstones(gone -> { });
        tombstones.bury(ONE, RejectCode.FAILED);
        tombstones.bury(ONE, RejectCode.CLOSED);
        assertThat(tombstones.find(ONE)).isEqualTo(RejectCode.FAILED);
        for (int i = 1; i < 4096; i++) {
            tombstones.bury(new SessionId(1, i), RejectCode.CLOSED);
        }
        assertThat(tombstones.find(ONE)).isEqualTo(RejectCode.FAILED);
        tombstones.bury(new SessionId(2, 0), RejectCode.CLOSED);
        assertThat(tombstones.find(ONE)).isNull();
        tombstones.forget(new SessionId(2, 0));
        assertThat(tombstones.find(new SessionId(2, 0))).isNull();
    }

    @Test
    void aSessionIsKnownFromItsBeginningAndAfterItsEnd() {
        final Sessions sessions = new Sessions(false);
        assertThat(sessions.isKnown(ONE)).isFalse();
        sessions.begin(ONE, 5);
        assertThat(sessions.isKnown(ONE)).isTrue();
        assertThat(sessions.endOf(ONE)).isNull();
        sessions.end(ONE, RejectCode.FAILED);
        sessions.leave(ONE);
        assertThat(sessions.isKnown(ONE)).isTrue();
        assertThat(sessions.endOf(ONE)).isEqualTo(RejectCode.FAILED);
    }

    @Test
    void theSameNumbersInAnotherLifeForgetTheEndOfTheFirst() {
        final Sessions sessions = new Sessions(false);
        sessions.begin(ONE, 5);
        sessions.end(ONE, RejectCode.CLOSED);
        sessions.begin(ONE, 5);
        assertThat(sessions.endOf(ONE)).isNull();
        sessions.leave(ONE);
        assertThat(sessions.isKnown(ONE)).isFalse();
    }
}
