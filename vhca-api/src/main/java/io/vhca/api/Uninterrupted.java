package io.vhca.api;

/**
 * Waits that an interrupt does not end, as for a thread whose memory is freed next. For providers. Any thread.
 */
public final class Uninterrupted {
    /** What a thread waits for. */
    @FunctionalInterface
    public interface Wait {
        /** Returns when it is over. It is begun again where the thread is interrupted meanwhile. */
        void begin() throws InterruptedException;
    }

    private Uninterrupted() {}

    /** Waits until that is over; a caller that is interrupted waits on, and stays interrupted. */
    public static void await(final Wait wait) {
        boolean isInterrupted = false;
        boolean isOver = false;
        while (!isOver) {
            try {
                wait.begin();
                isOver = true;
            } catch (final InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
