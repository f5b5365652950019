package io.vhca.recovery;

/** The number of the latest attempt to connect a vQP again: unsigned, grows with each. One thread at a time. */
final class Epoch {
    private int number;
    /** We asked for it and nobody has answered yet: the peer may still use the same one. */
    private boolean open;

    int number() {
        return number;
    }

    /** An attempt of our own begins. */
    void next() {
        number++;
        open = true;
    }

    /** Both sides know this one, which is not behind the one before. */
    void agreed(final int both) {
        assert Integer.compareUnsigned(both, number) >= 0 : "epoch went from " + number + " to " + both;
        number = both;
        open = false;
    }

    /** The peer is at this one: ours becomes the higher of the two. */
    void heard(final int theirs) {
        number = Integer.compareUnsigned(theirs, number) > 0 ? theirs : number;
    }

    /**
     * Whether a REQ with our own epoch is answered as a newer one is: it repeats one that we answered, or crosses one
     * of ours that nobody answered.
     */
    boolean mayRepeat(final RecoveryState in) {
        return switch (in) {
            case ANSWERED, CONNECTING -> true;
            case FENCING, DRAINING, WAITING -> open;
            default -> false;
        };
    }
}
