package io.vhca.recovery.wire;

/**
 * What the recovery of one end asks of the other's in a REQ. A {@link SessionRecord} carries it, or an {@link
 * OutOfBandRecord} where the type is OOB.
 *
 * @param type RECOVER, CLOSE, OOB, STANDBY or CHANNEL
 * @param reason how the sender detected the failure
 * @param session the vQP's session
 * @param senderQpNum the sender's vQPN
 * @param targetQpNum the vQPN asked for
 * @param epoch the attempt, unsigned; of a STANDBY or CHANNEL its number
 * @param answerTimeoutUs how long the sender waits for an answer, in microseconds; 0 where it does not say
 * @param counts the sender's, frozen
 */
public record RecoveryRequest(
        RecordType type,
        FailureReason reason,
        SessionId session,
        int senderQpNum,
        int targetQpNum,
        int epoch,
        long answerTimeoutUs,
        ReceiverCounts counts) {
    /** The longest time that a record holds. */
    public static final long MAX_ANSWER_TIMEOUT_US = 0xFFFF_FFFFL;

    private static final long US = 1_000;
    private static final int MOST_CONFIRM = 8;

    /** Throws IllegalArgumentException for a type that does not belong here, and for a time that no record holds. */
    public RecoveryRequest {
        if (type != RecordType.OOB && !SessionRecord.belongs(type)) {
            throw new IllegalArgumentException("a RecoveryRequest is of a session, not " + type);
        }
        if (answerTimeoutUs < 0 || answerTimeoutUs > MAX_ANSWER_TIMEOUT_US) {
            throw new IllegalArgumentException("an answer timeout of " + answerTimeoutUs + " us");
        }
    }

    /** The same request of somebody who waits that long for the answer, at least one microsecond. */
    public RecoveryRequest withAnswerTimeoutNs(final long timeoutNs) {
        return new RecoveryRequest(type, reason, session, senderQpNum, targetQpNum, epoch,
                Math.clamp(timeoutNs / US, 1, MAX_ANSWER_TIMEOUT_US), counts);
    }

    /**
     * How long the side that is asked may drain before it answers: half of what the sender waits, as each way takes
     * time too.
     *
     * @param longestNs what it would take otherwise
     */
    public long drainNs(final long longestNs) {
        return answerTimeoutUs == 0 ? longestNs : Math.min(longestNs, answerTimeoutUs * US / 2);
    }

    /**
     * How long the side that has answered waits until the sender confirms it: as long as that one would wait for the
     * answer, within bounds, since who is slow is slow with both.
     *
     * @param usualNs the least
     */
    public long confirmNs(final long usualNs) {
        return Math.clamp(answerTimeoutUs * US, usualNs, MOST_CONFIRM * usualNs);
    }
}
