package io.vhca.harness.explore;

import static io.vhca.harness.explore.Operation.ATOMIC;
import static io.vhca.harness.explore.Operation.READ;
import static io.vhca.harness.explore.Operation.SEND;
import static io.vhca.harness.explore.Operation.WRITE;

import java.util.List;

/** The spaces that are explored: none holds all at once, which no machine has room for. */
enum Space {
    /** All kinds of trouble: three failures, a close and a restart, and a network that does one thing wrong. */
    EVERYTHING(new Bounds(3, 1, 1, 1, 0, 0, 1, List.of(SEND), List.of())),
    /** What applications send meanwhile, both ways. */
    TRAFFIC(new Bounds(3, 1, 0, 0, 0, 0, 1, List.of(SEND), List.of(SEND))),
    /** A network that does more wrong than a failure needs. */
    NETWORK(new Bounds(2, 2, 0, 0, 0, 0, 1, List.of(SEND), List.of())),
    /** The same where a second path is tried before anybody sleeps. */
    TWO_PATHS(new Bounds(2, 1, 1, 0, 0, 0, 2, List.of(SEND), List.of())),
    /** Requests without a receive at the other end, across several failures. */
    ONE_SIDED(new Bounds(3, 0, 0, 0, 0, 0, 1, List.of(WRITE, READ, SEND), List.of())),
    /** Atomics that the hardware executes: their vQP may fail by name. */
    ATOMICS(new Bounds(2, 0, 0, 0, 0, 0, 1, List.of(ATOMIC, SEND), List.of(SEND))),
    /** Acknowledged and lost: found out, or nobody needs it any more. */
    LOST_AFTER_ACK(new Bounds(2, 1, 0, 0, 0, 1, 1, List.of(SEND, SEND), List.of())),
    /** recovery_timeout passes at any time. */
    GIVE_UP(new Bounds(2, 1, 1, 0, 1, 0, 1, List.of(SEND), List.of()));

    private final Bounds bounds;

    Space(final Bounds bounds) {
        this.bounds = bounds;
    }

    Bounds bounds() {
        return bounds;
    }
}
