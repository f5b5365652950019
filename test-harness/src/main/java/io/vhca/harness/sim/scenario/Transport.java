package io.vhca.harness.sim.scenario;

/**
 * How long physical queue pairs try.
 *
 * @param ackTimeout local ack timeout, 4.096 us * 2^ackTimeout
 * @param retryCnt   retries
 */
public record Transport(int ackTimeout, int retryCnt) {
    private static final long ACK_TIMEOUT_UNIT_NS = 4_096;

    long ackTimeoutNs() {
        return ACK_TIMEOUT_UNIT_NS << ackTimeout;
    }

    /** Time without an answer until RETRY_EXC, as the specification computes it. */
    public long retryBudgetNs() {
        return (retryCnt + 1) * ackTimeoutNs();
    }

    @Override
    public String toString() {
        return "ack timeout " + ackTimeoutNs() / 1_000 + " us, retries " + retryCnt;
    }
}
