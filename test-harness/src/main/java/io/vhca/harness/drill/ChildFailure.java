package io.vhca.harness.drill;

/** How a child process ends when something in it fails: it says so, and ends at once, whatever its threads wait for. */
public final class ChildFailure {
    private static final int FAILED = 1;

    private ChildFailure() {}

    /** What a thread of a child does. */
    @FunctionalInterface
    public interface Work {
        void run() throws Exception;
    }

    public static void guard(final Work work) {
        try {
            work.run();
        } catch (final Exception | Error e) {
            e.printStackTrace();
            DrillLine.of("died", "why", String.valueOf(e.getMessage())).say();
            Runtime.getRuntime().halt(FAILED);
        }
    }

    /** Starts a thread whose failure is its process'. */
    public static Thread thread(final String name, final Work work) {
        return Thread.ofPlatform().name(name).daemon().start(() -> guard(work));
    }
}
