package io.vhca.harness.drill;

/**
 * How long it took until everything that was in flight had completed, from the cut on.
 *
 * @param queuePairs that failed over at once
 * @param medianNs   of the cuts
 * @param longestNs  of them
 */
public record ScaleResult(int queuePairs, long medianNs, long longestNs) {
    /** Of one queue pair's share. */
    public double eachNs() {
        return (double) medianNs / queuePairs;
    }
}
