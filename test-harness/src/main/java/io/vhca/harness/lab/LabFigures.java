package io.vhca.harness.lab;

import io.vhca.harness.bench.BenchRow;
import io.vhca.harness.bench.Rounds;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** The figures of a benchmark in the machines by name, one a round each, and the rows that they come to. One thread. */
final class LabFigures {
    private final Map<String, List<Double>> figures = new TreeMap<>();

    void add(final String name, final double figure) {
        figures.computeIfAbsent(name, key -> new ArrayList<>()).add(figure);
    }

    /** What was added until now was warming up. */
    void clear() {
        figures.clear();
    }

    /** The median of a figure. */
    BenchRow figure(final String what, final String name, final String unit) {
        return BenchRow.figure(what, String.format(Locale.ROOT, "%.1f %s", Rounds.median(values(name)), unit));
    }

    /**
     * The median of the rounds' own ratios.
     *
     * @param isCost whether the goal is the most that it may be; else the least
     */
    BenchRow ratio(
            final String what, final String own, final String base, final double goal, final boolean isCost) {
        return Rounds.ratio(what, values(own), values(base), goal, isCost);
    }

    private double[] values(final String name) {
        return Objects.requireNonNull(figures.get(name), name).stream()
                .mapToDouble(Double::doubleValue)
                .toArray();
    }
}
