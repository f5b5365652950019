package io.vhca.harness.sim;

/** The two ends of a scenario. Left connects, right listens. */
enum Side {
    LEFT("left"),
    RIGHT("right");

    private static final Side[] VALUES = values();

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
        return VALUES[index];
    }
}
