package io.vhca.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.recovery.wire.FailureReason;
import io.vhca.recovery.wire.SessionId;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class JournalEventTest {
    private static JournalEvent event(final RecoveryState oldState, final FailureReason reason, final long own,
            final long peers, final int negotiated, final PathId path, final String note) {
        return new JournalEvent(1_500_000, "bond0", 5, 0x1f2, -1, 1, JournalKind.TRANSITION, oldState,
                RecoveryState.FENCING, reason, own, peers, negotiated, 0, path, note);
    }

    @Test
    void theLineOfAVqpHasWhatIsKnownAndNothingElse() {
        assertThat(event(RecoveryState.CONNECTED, FailureReason.PORT_ERR, 3, 4, 2, new PathId(0, 1), "why").format())
                .isEqualTo("       1.500000 ms bond0 vqp 5 side 1 epoch 4294967295 TRANSITION      "
                        + "CONNECTED -> FENCING reason=PORT_ERR own_received=3 peer_received=4 negotiated=2 replayed=0 "
                        + "path=0->1 session=000001f2 : why");
        assertThat(event(RecoveryState.FENCING, FailureReason.NONE, -1, -1, 0, PathId.NONE, "").format())
                .isEqualTo("       1.500000 ms bond0 vqp 5 side 1 epoch 4294967295 TRANSITION      "
                        + "FENCING session=000001f2");
    }

    @Test
    void theLineOfAMemberNamesNoVqp() {
        assertThat(JournalEvent.member(2_000_000, "bond1", FailureReason.NONE, "mlx0 is up").format())
                .isEqualTo("       2.000000 ms bond1 mlx0 is up");
        assertThat(JournalEvent.member(2_000_000, "bond1", FailureReason.PORT_ERR, "mlx0 is down").format())
                .isEqualTo("       2.000000 ms bond1 mlx0 is down reason=PORT_ERR");
    }

    /** Both ends show the same, and neither half of the id is in it. */
    @Test
    void aSessionIsShownByItsTag() {
        final SessionId session = new SessionId(0x0123456789abcdefL, 0x1122334455667788L);
        assertThat(session.toString())
                .isEqualTo(String.format(Locale.ROOT, "%08x", session.tag()))
                .isEqualTo("2f21cd8e");
        assertThat(new SessionId(session.hi(), session.lo()).tag()).isEqualTo(session.tag());
        assertThat(new SessionId(session.hi(), session.lo() + 1).tag()).isNotEqualTo(session.tag());
        assertThat(new SessionId(session.hi() + 1, session.lo()).tag()).isNotEqualTo(session.tag());
    }
}
