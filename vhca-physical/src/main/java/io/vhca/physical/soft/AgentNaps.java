package io.vhca.physical.soft;

/**
 * How long a device's thread sleeps at a time while threads of the application run the engine. Where another thread
 * blocks for an event, whoever runs the engine wakes it; when they stop it waits for the end of the nap, so naps are
 * short then. But each takes a processor from somebody: while the engine is run all the time they double, to eight
 * times the shortest. Where nobody blocks they are five times as long. Pure.
 */
final class AgentNaps {
    private static final long UNAWAITED_NS = 500_000;
    private static final long SHORTEST_NS = 100_000;
    private static final int MOST_DOUBLINGS = 3;
    /** Who runs the engine so often takes what comes as soon as the device's thread would. */
    private static final long OFTEN_NS = 50_000;

    private long lastNs = SHORTEST_NS;
    private int doublings;

    /**
     * How long the next one is.
     *
     * @param runs      of the engine, by other threads, since the last one began
     * @param isAwaited a thread blocks for an event
     */
    long nextNs(final int runs, final boolean isAwaited) {
        doublings = runs >= lastNs / OFTEN_NS ? Math.min(MOST_DOUBLINGS, doublings + 1) : 0;
        lastNs = (isAwaited ? SHORTEST_NS : UNAWAITED_NS) << doublings;
        return lastNs;
    }

    /** Nobody ran the engine meanwhile. */
    void end() {
        doublings = 0;
        lastNs = SHORTEST_NS;
    }
}
