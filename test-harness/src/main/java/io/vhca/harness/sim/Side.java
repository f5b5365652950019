package io.vhca.harness.sim;

import java.util.List;

/** The two ends of a scenario. Left connects, right listens. */
enum Side {
    LEFT("left"),
    RIGHT("right");

    /** Both, left first; a list that allocates nothing to go through by index. */
    static final List<Side> BOTH = List.of(LEFT, RIGHT);

    private final String label;

    Side(final String label) {
        this.label = label;
    }

    String label() {
        return label;
    }

    Side other() {
        return this == LEFT ? RIGHT : LEFT;
    }

    static Side of(final int index) {
        return BOTH.get(index);
    }
}
