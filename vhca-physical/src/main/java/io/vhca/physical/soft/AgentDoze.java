package io.vhca.physical.soft;

/**
 * How long a device's thread blocks for a packet while nobody else runs the engine. What threads of the application
 * do then it learns when it looks next, so it blocks for a few milliseconds. Each look takes a processor from somebody:
 * where nothing has come meanwhile it dozes, for long, and whoever runs the engine first wakes it.
 *
 * <p>The thread says that it dozes before it looks for runs, and who runs counts that before it looks whether the
 * thread dozes: one of them sees the other. The thread itself calls all but {@link #run} and {@link #isOver}, which any
 * thread calls.
 */
final class AgentDoze {
    private static final long BLOCK_NS = 4_000_000;
    private static final long DOZE_NS = 100_000_000;

    private boolean isQuiet;
    /** Runs of the engine by other threads; racy, any change tells enough. */
    private volatile int runs;

    private volatile boolean isDozing;

    /** Another thread is about to run the engine; true where that one is to wake the device's. */
    @SuppressWarnings("NonAtomicVolatileUpdate")
    boolean run() {
        runs++;
        return isDozing && isOver();
    }

    /** The doze is over, whatever there is to do; true where there was one. */
    boolean isOver() {
        final boolean was = isDozing;
        if (was) {
            isDozing = false;
        }
        return was;
    }

    /** How often other threads have run the engine. */
    int runs() {
        return runs;
    }

    /**
     * The thread is about to block, and is told for how long. What there is to do it has to look for behind this.
     *
     * @param mayDoze false where it is told of nothing but packets
     */
    long nextNs(final boolean mayDoze) {
        if (!isQuiet || !mayDoze) {
            return BLOCK_NS;
        }
        isDozing = true;
        return DOZE_NS;
    }

    /** It blocked, and nothing came. */
    void quiet() {
        isDozing = false;
        isQuiet = true;
    }

    /** Something happened. */
    void end() {
        assert !isDozing : "who dozes blocks";
        isQuiet = false;
    }
}
