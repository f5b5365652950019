package io.vhca.bond.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.SessionId;
import java.net.InetAddress;
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
        sessions.begin(ONE, new Peer(1), 5);
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
        sessions.begin(ONE, new Peer(1), 5);
        sessions.end(ONE, RejectCode.CLOSED);
        sessions.begin(ONE, new Peer(1), 5);
        assertThat(sessions.endOf(ONE)).isNull();
        sessions.leave(ONE);
        assertThat(sessions.isKnown(ONE)).isFalse();
    }

    /** Whose sessions live is not forgotten, however many others come; whose are over may be. */
    @Test
    void theBondOfALiveSessionIsHeld() {
        final Sessions sessions = new Sessions(false);
        final Peers peers = new Peers();
        final InetAddress at = InetAddress.ofLiteral("10.1.0.1");
        final Peer believed = peers.at(1, at);
        believed.metAt(at);
        sessions.begin(ONE, believed, 5);
        final Peer proven = peers.at(2, at);
        proven.metAt(at);
        sessions.isOf(ONE, proven);
        for (int i = 0; i < Peers.MOST_PAST; i++) {
            peers.at(100 + i, at);
        }
        assertThat(peers.find(1, at)).as("it was another's").isNull();
        assertThat(peers.find(2, at)).isSameAs(proven);
        sessions.leave(ONE);
        for (int i = 0; i < Peers.MOST_PAST; i++) {
            peers.at(100_000 + i, at);
        }
        assertThat(peers.find(2, at)).as("it is over").isNull();
    }
}
