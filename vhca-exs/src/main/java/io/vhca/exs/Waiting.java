package io.vhca.exs;

/** How a thread waits that found nothing to do. */
final class Waiting {
    /** Turns that follow each other at once: what comes within microseconds is not waited for. */
    static final int SPINS = 200;

    /** Turns after which the thread sleeps until a completion. */
    static final int YIELDS = 300;

    /** Events of the connection manager do not wake who waits for completions: it looks for them so often. */
    static final long NAP_NS = 500_000;

    private Waiting() {}
}
