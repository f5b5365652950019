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
        return ofLaterNs(time, 0, 0.5);
    }

    /** The time after detection that so large a part of the cuts from the second on stays below; of one cut its own. */
    public long afterNs(final double part) {
        return ofLaterNs(ScaleCut::afterNs, cuts.size() > 1 ? 1 : 0, part);
    }

    /** The same of the cuts from one on, and before another. */
    public long afterNs(final int from, final int to, final double part) {
        return new ScaleResult(queuePairs, cuts.subList(from, to)).ofLaterNs(ScaleCut::afterNs, 0, part);
    }

    private long ofLaterNs(final ToLongFunction<ScaleCut> time, final int from, final double part) {
        final long[] times = cuts.stream().skip(from).mapToLong(time).toArray();
        Arrays.sort(times);
        return times[Math.min(times.length - 1, (int) (times.length * part))];
    }
}
