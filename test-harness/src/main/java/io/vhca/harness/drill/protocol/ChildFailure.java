package io.vhca.harness.drill.protocol;

import java.util.function.Consumer;

/** How a child process ends of itself: at once, whatever its threads wait for. Where something failed it says so. */
public final class ChildFailure {
    private static final int FAILED = 1;
    private static final int ORPHANED = 4;

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

    /** Starts a thread that reads what the controller says; where that ends, the controller is dead. */
    public static void obey(final Consumer<DrillLine> commands) {
        thread("control", () -> {
            DrillLine.readAll(System.in, commands, noise -> {});
            Runtime.getRuntime().halt(ORPHANED);
        });
    }

    /** Starts a thread whose failure is its process'. */
    public static Thread thread(final String name, final Work work) {
        return Thread.ofPlatform().name(name).daemon().start(() -> guard(work));
    }
}
