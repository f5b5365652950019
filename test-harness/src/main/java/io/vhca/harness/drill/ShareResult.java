package io.vhca.harness.drill;

import io.vhca.bond.config.BondMode;
import java.util.List;

/**
 * What two links carried in one mode. Times are ns since the first sample.
 *
 * @param mode    of both bonds
 * @param samples bytes that each member has carried, growing
 * @param cutNs   when the first member's link went
 * @param healNs  when it came back
 */
public record ShareResult(BondMode mode, List<Sample> samples, long cutNs, long healNs) {
    /** So many bytes were carried by each member until that time. */
    public record Sample(long atNs, long first, long second) {
        long both() {
            return first + second;
        }
    }

    /** The last third of a time with that many links: what was before is still settling. */
    private Sample[] window(final long fromNs, final long toNs) {
        return new Sample[] {at(toNs - (toNs - fromNs) / 3), at(toNs)};
    }

    private Sample at(final long ns) {
        Sample found = samples.getFirst();
        for (final Sample sample : samples) {
            if (sample.atNs() > ns) {
                break;
            }
            found = sample;
        }
        return found;
    }

    private static double rate(final Sample[] window) {
        return (window[1].both() - window[0].both()) * 1e3 / Math.max(1, window[1].atNs() - window[0].atNs());
    }

    /** MB/s over both links, before one was cut. */
    public double beforeMBs() {
        return rate(window(0, cutNs));
    }

    /** MB/s while one was cut. */
    public double cutMBs() {
        return rate(window(cutNs, healNs));
    }

    /** MB/s at the end. */
    public double healedMBs() {
        return rate(window(healNs, endNs()));
    }

    /** What part of that the first member carries at the end, 0 to 1. */
    public double healedShare() {
        final Sample[] window = window(healNs, endNs());
        final long both = window[1].both() - window[0].both();
        return both == 0 ? 0 : (double) (window[1].first() - window[0].first()) / both;
    }

    /** True when the links carried together what the mode is for, and as much again after the healing. */
    public boolean isAsWanted() {
        if (mode == BondMode.ACTIVE_BACKUP) {
            return isNear(beforeMBs() / cutMBs(), 1) && isNear(healedMBs() / cutMBs(), 1);
        }
        return isNear(beforeMBs() / cutMBs(), 2) && isNear(healedMBs() / cutMBs(), 2)
                && Math.abs(healedShare() - 0.5) <= 0.05;
    }

    private static boolean isNear(final double value, final double wanted) {
        return value >= 0.9 * wanted && value <= 1.1 * wanted;
    }

    long endNs() {
        return samples.getLast().atNs();
    }
}
