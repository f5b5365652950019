package io.vhca.harness.sim.core;

import java.util.List;

/** The two ends of a scenario. Left connects, right listens. */
public enum Side {
    LEFT("left"),
    RIGHT("right");

    /** Both, left first; a list that allocates nothing to go through by index. */
    public static final List<Side> BOTH = List.of(LEFT, RIGHT);

    private final String label;

    Side(final String label) {
        this.label = label;
    }

    public String label() {
        return label;
    }

    public Side other() {
        return this == LEFT ? RIGHT : LEFT;
    }

    public static Side of(final int index) {
        return BOTH.get(index);
    }
}
