package io.vhca.recovery.wire;

/**
 * Names one connection between two bonds for its whole life, across any number of failovers (128 bit).
 *
 * @param hi the instance id of the bond that initiated the first connect: a new one for each start of the process
 * @param lo random, drawn for each connection
 */
public record SessionId(long hi, long lo) {
    /** No session: both halves zero. */
    public static final SessionId NONE = new SessionId(0, 0);

    /** Whether another shows the same session; as long for any that does not. */
    public boolean isShownBy(final SessionId other) {
        return (hi ^ other.hi | lo ^ other.lo) == 0;
    }

    @Override
    public String toString() {
        return String.format("%016x-%016x", hi, lo);
    }
}
