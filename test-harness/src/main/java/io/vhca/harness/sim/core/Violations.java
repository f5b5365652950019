package io.vhca.harness.sim.core;

import java.util.ArrayList;
import java.util.List;

/** What the checkers of one run found wrong. None means that the contract held. */
public final class Violations {
    private static final int MOST_KEPT = 20;

    private final List<String> texts = new ArrayList<>();
    private int count;

    /**
     * @param checker the contract that was broken, as the report names it
     * @param where   side and queue pair
     */
    public void report(final String checker, final String where, final String what) {
        count++;
        if (texts.size() < MOST_KEPT) {
            texts.add(checker + ": " + where + ": " + what);
        }
    }

    public int count() {
        return count;
    }

    public boolean isEmpty() {
        return count == 0;
    }

    /** The first of them, in the order they were found. */
    public List<String> texts() {
        return List.copyOf(texts);
    }
}
