package io.vhca.harness.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.Locale;

/** What the rounds of a benchmark come to: the median, for one disturbed round is no figure. */
public final class Rounds {
    private static final double UNCERTAIN = 0.05;

    private Rounds() {}

    /** What one round measures. */
    interface Round {
        void run(int round) throws IOException, InterruptedException;
    }

    /** How many are measured: enough for a median, or one, which shows that it works. */
    static int count(final boolean isQuick) {
        return count(isQuick, 11);
    }

    /** The same where a median needs so many. */
    static int count(final boolean isQuick, final int many) {
        return isQuick ? 1 : many;
    }

    /** Runs so many, each of them told. */
    static void run(final PrintWriter progress, final int rounds, final Round body)
            throws IOException, InterruptedException {
        for (int round = 0; round < rounds; round++) {
            progress.println("  round " + (round + 1) + " of " + rounds);
            progress.flush();
            body.run(round);
        }
    }

    /** Which of so many is measured as the n-th: every other round goes backwards, so none is always behind another. */
    public static int place(final int round, final int n, final int count) {
        return round % 2 == 0 ? n : count - 1 - n;
    }

    /** How long one of so many took, in microseconds. */
    static double microseconds(final long roundNs, final long operations) {
        return roundNs / 1e3 / Math.max(1, operations);
    }

    /** The middle of the values; the array is left as it is. */
    public static double median(final double[] values) {
        final double[] sorted = values.clone();
        Arrays.sort(sorted);
        final int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /** One divided by the other, round by round: what disturbs the machine disturbs both alike. */
    static double[] ratios(final double[] own, final double[] base) {
        final double[] ratios = new double[own.length];
        for (int i = 0; i < own.length; i++) {
            ratios[i] = own[i] / Math.max(1e-9, base[i]);
        }
        return ratios;
    }

    /** By how many percent the one is more than the other. */
    static double morePercent(final double[] own, final double[] base) {
        return 100 * (median(ratios(own, base)) - 1);
    }

    /**
     * How many of the least of so many values, and of the greatest, lie outside of what the median is in with 95 in
     * 100: each value is below the true median as often as above, so what is between the k-th least and the k-th
     * greatest holds it but for the chance that fewer than k fall on one side.
     *
     * @return -1 where there are too few values to say so
     */
    static int outside(final int count) {
        double exactly = Math.pow(0.5, count);
        double chance = exactly;
        int out = -1;
        while (2 * chance <= UNCERTAIN) {
            out++;
            exactly *= (double) (count - out) / (out + 1);
            chance += exactly;
        }
        return out;
    }

    /**
     * The line that tells a ratio and its goal, the ratio as {@link #ratio(double[], double[])} says it.
     *
     * @param isCost whether the goal is the most that it may be; else the least
     */
    public static BenchRow ratio(
            final String what, final double[] own, final double[] base, final double goal, final boolean isCost) {
        final double middle = median(ratios(own, base));
        return new BenchRow(
                what,
                ratio(own, base),
                String.format(Locale.ROOT, isCost ? "at most %.2f" : "at least %.2f", goal),
                isCost ? middle <= goal : middle >= goal);
    }

    /** The median of the rounds' own ratios, what it is in with 95 in 100, the least and the greatest round. */
    static String ratio(final double[] own, final double[] base) {
        final double[] ratios = ratios(own, base);
        final double middle = median(ratios);
        Arrays.sort(ratios);
        final int out = outside(ratios.length);
        final String rounds = String.format(Locale.ROOT, "rounds %.2f .. %.2f", ratios[0], ratios[ratios.length - 1]);
        final String certain = out < 0
                ? ""
                : String.format(Locale.ROOT, "%.3f .. %.3f; ", ratios[out], ratios[ratios.length - 1 - out]);
        return String.format(Locale.ROOT, "%.3f (%s%s)", middle, certain, rounds);
    }
}
