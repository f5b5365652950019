package io.vhca.recovery;

import io.vhca.recovery.wire.FailureReason;
import java.util.Locale;

/**
 * One line of a vQP's history.
 *
 * @param timeNs the time that the caller was given
 * @param bond name of the bond, as `bond0`
 * @param vQpNum the vQP
 * @param sessionTag tells its session from others, and no more ({@link io.vhca.recovery.wire.SessionId#tag})
 * @param epoch its epoch, unsigned
 * @param side 0 for the initiator of the first connect, 1 for the responder
 * @param kind what the event tells
 * @param oldState state before
 * @param newState state after; the same where it did not change
 * @param reason how the failure was detected, NONE where there is none
 * @param ownReceived our frozen count, -1 where not known
 * @param peerReceived the peer's frozen count, -1 where not known
 * @param negotiated WRs completed by the peer's word
 * @param replayed WRs executed again
 * @param path the path tried or in use
 * @param note free text, possibly empty
 */
public record JournalEvent(
        long timeNs,
        String bond,
        int vQpNum,
        int sessionTag,
        int epoch,
        int side,
        JournalKind kind,
        RecoveryState oldState,
        RecoveryState newState,
        FailureReason reason,
        long ownReceived,
        long peerReceived,
        int negotiated,
        int replayed,
        PathId path,
        String note) {

    /** Of a member and not of a vQP. */
    public static JournalEvent member(
            final long timeNs, final String bond, final FailureReason reason, final String note) {
        return new JournalEvent(timeNs, bond, 0, 0, 0, 0, JournalKind.MEMBER, RecoveryState.IDLE,
                RecoveryState.IDLE, reason, -1, -1, 0, 0, PathId.NONE, note);
    }

    /** The same, so much later. */
    public JournalEvent later(final long byNs) {
        return byNs == 0 ? this : new JournalEvent(timeNs + byNs, bond, vQpNum, sessionTag, epoch, side, kind,
                oldState, newState, reason, ownReceived, peerReceived, negotiated, replayed, path, note);
    }

    /** One readable line, without the end of line. */
    public String format() {
        if (kind == JournalKind.MEMBER) {
            return String.format(Locale.ROOT, "%15.6f ms %s %s%s", timeNs / 1e6, bond, note,
                    reason == FailureReason.NONE ? "" : " reason=" + reason);
        }
        final StringBuilder line = new StringBuilder(160);
        line.append(String.format(
                Locale.ROOT, "%15.6f ms %s vqp %d side %d epoch %s %-15s ", timeNs / 1e6, bond, vQpNum, side,
                Integer.toUnsignedString(epoch), kind));
        line.append(oldState == newState ? newState.toString() : oldState + " -> " + newState);
        if (reason != FailureReason.NONE) {
            line.append(" reason=").append(reason);
        }
        if (ownReceived >= 0) {
            line.append(" own_received=").append(ownReceived);
        }
        if (peerReceived >= 0) {
            line.append(" peer_received=").append(peerReceived);
        }
        if (negotiated != 0 || replayed != 0) {
            line.append(" negotiated=").append(negotiated).append(" replayed=").append(replayed);
        }
        if (!path.equals(PathId.NONE)) {
            line.append(" path=").append(path);
        }
        line.append(String.format(Locale.ROOT, " session=%08x", sessionTag));
        if (!note.isEmpty()) {
            line.append(" : ").append(note);
        }
        return line.toString();
    }
}
