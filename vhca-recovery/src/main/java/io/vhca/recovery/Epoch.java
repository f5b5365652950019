package io.vhca.recovery;

/** The number of the attempt to connect that counts: unsigned, and grows with each. One thread. */
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

    /** The peer's is this one: ours is not behind it. */
    void heard(final int theirs) {
        number = Integer.compareUnsigned(theirs, number) > 0 ? theirs : number;
    }

    /**
     * Whether a REQ with our own epoch is as good as a newer one: a repeat of what we answered, or of what we asked in
     * vain.
     */
    boolean mayRepeat(final RecoveryState in) {
        return switch (in) {
            case ANSWERED, CONNECTING -> true;
            case FENCING, DRAINING, WAITING -> open;
            default -> false;
        };
    }
}
