package io.vhca.harness.drill;

import java.util.List;

/**
 * What a {@link ScaleRun} measures.
 *
 * @param sizes  numbers of queue pairs
 * @param starve once connected the processes run for one part in so many of the time; 1 for all of it
 * @param cuts   how often the port goes for each of the numbers; 0 for as often as is usual
 */
public record ScalePlan(List<Integer> sizes, int starve, int cuts) {
    /** The usual numbers of queue pairs. */
    public static final List<Integer> SIZES = List.of(1, 10, 100, 1_000, 10_000);

    /** Keeps a copy of the numbers. */
    public ScalePlan {
        sizes = List.copyOf(sizes);
    }

    /** Whether anything else than usual is asked for. */
    public boolean isSpecial() {
        return !sizes.equals(SIZES) || starve > 1 || cuts > 0;
    }
}
