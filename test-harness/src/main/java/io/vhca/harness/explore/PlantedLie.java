package io.vhca.harness.explore;

/** How a bond of the model is broken on purpose, to see that the explorer finds it. */
enum PlantedLie {
    NONE,
    /** The old queue pair goes on taking packets while the counts are exchanged. */
    FENCE_SKIPPED,
    /** Replay begins one request behind where the plan says. */
    REPLAY_TOO_LATE,
    /** Replay begins one request before where the plan says. */
    REPLAY_TOO_EARLY,
    /** One request more than the plan says is completed. */
    COMPLETES_TOO_MUCH,
    /** The count of received messages is one less each time that it is told again. */
    COUNT_GOES_BACK,
    /** A connection whose other end is gone is not noticed. */
    DEAF,
    /** The back-off never ends. */
    SLEEPS_ON,
    /** Every REQ is refused as if resources were short, for ever. */
    REFUSES_ALWAYS,
    /** The application's close is not heard. */
    CLOSE_FORGOTTEN
}
