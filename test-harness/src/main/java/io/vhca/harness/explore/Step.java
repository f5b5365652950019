package io.vhca.harness.explore;

/**
 * What can happen. The first ones happen by themselves sooner or later, and a schedule that takes the first one that
 * can be is fair: it lets what is under way come to an end before a timer does, and never lets anything else go wrong.
 */
enum Step {
    /** The drain finds every completion that there was. */
    DRAINED("'s queues are drained, all found"),
    /** A message arrives. */
    DELIVER(" gets "),
    /** An end hears that the REQ that it keeps, or has answered, is of no use to its sender any more. */
    GIVEN_UP(" hears that the REQ is withdrawn, "),
    /** The first packet tells what the RTU would have told. */
    CONFIRMED(" takes the first packet for the RTU"),
    /** A request arrives at the receiver. */
    EXECUTE(" executes the next request of its peer"),
    /** Completions of all that was executed arrive at the sender. */
    COMPLETE(" gets the completions of what was executed"),
    /** An end whose connection goes nowhere notices. */
    NOTICE(" notices that its connection goes nowhere"),
    /** The application sends. */
    POST("'s application sends"),
    /** A pause, or a wait for what cannot come any more, is over. */
    TIMER("'s timer ends"),
    /** As DRAINED, but nothing is found that was not polled before. */
    DRAIN_EXPIRES("'s drain is over, nothing found"),
    /** A wait is over before what it waits for is there. */
    EARLY_TIMER("'s timer ends early"),
    /** The time for a close is over. */
    CLOSE_TIMER("'s time for a close is over"),
    /** A path fails, seen by one end. */
    FAIL(" sees its path fail"),
    /** The network loses a message. */
    LOSE(" never gets "),
    /** The network doubles a REQ. */
    DOUBLE(" will get twice "),
    /** The application disconnects. */
    CLOSE("'s application disconnects"),
    /** The process ends without a word, and another one begins. */
    RESTART(" is started anew"),
    /** recovery_timeout passes. */
    GIVE_UP("'s recovery_timeout passes"),
    /** A device acknowledges a message and dies before it has placed it. */
    LIE("'s device acknowledges a message and dies with it");

    private static final Step[] ALL = values();
    private static final int ARGUMENT_BITS = 8;

    private final String words;

    Step(final String words) {
        this.words = words;
    }

    String words() {
        return words;
    }

    /** Whether it happens by itself, in a fair schedule. */
    boolean isFair() {
        return compareTo(TIMER) <= 0;
    }

    /** The step with its argument, a side or the index of a message. */
    int with(final int argument) {
        return ordinal() << ARGUMENT_BITS | argument;
    }

    static Step of(final int action) {
        return ALL[action >>> ARGUMENT_BITS];
    }

    static int argument(final int action) {
        return action & (1 << ARGUMENT_BITS) - 1;
    }
}
