package io.vhca.harness.drill;

import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * How long it took until everything that was in flight had completed, from the cut on.
 *
 * @param queuePairs that failed over at once
 * @param cuts       in the order in which they were made, one at least
 */
public record ScaleResult(int queuePairs, List<ScaleCut> cuts) {
    /** Of the cuts. */
    public long medianNs() {
        return medianNs(ScaleCut::totalNs);
    }

    /** Of the cuts. */
    public long longestNs() {
        return cuts.stream().mapToLong(ScaleCut::totalNs).max().orElseThrow();
    }

    /** Of one queue pair's share. */
    public double eachNs() {
        return (double) medianNs() / queuePairs;
    }

    /** Of what the cuts have of one kind. */
    public long medianNs(final ToLongFunction<ScaleCut> time) {
        return ofNs(time, 0, cuts.size(), 0.5);
    }

    /** The time after detection that so large a part of the cuts from the second on stays below; of one cut its own. */
    public long afterNs(final double part) {
        return afterNs(cuts.size() > 1 ? 1 : 0, cuts.size(), part);
    }

    /** The same of the cuts from one on, and before another. */
    public long afterNs(final int from, final int to, final double part) {
        return ofNs(ScaleCut::afterNs, from, to, part);
    }

    private long ofNs(final ToLongFunction<ScaleCut> time, final int from, final int to, final double part) {
        final long[] times = cuts.subList(from, to).stream().mapToLong(time).toArray();
        Arrays.sort(times);
        return times[Math.min(times.length - 1, (int) (times.length * part))];
    }
}
