package io.vhca.harness.drill.fabric;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * When to cut: one cut in each of as many equal stretches of the file as there are cuts, at a place drawn from a seed,
 * the sides alternating. By bytes, not by time: every cut meets a transfer under way on any machine. Pure.
 */
public final class CutSchedule {
    private CutSchedule() {}

    public static List<Cut> draw(final long seed, final int cuts, final long totalBytes) {
        final SplittableRandom random = new SplittableRandom(seed);
        final boolean first = random.nextBoolean();
        final double stretch = (double) totalBytes / Math.max(1, cuts);
        final List<Cut> schedule = new ArrayList<>();
        for (int i = 0; i < cuts; i++) {
            final long at = (long) (stretch * (i + random.nextDouble(0.15, 0.85)));
            final long heal = (long) (stretch * random.nextDouble(0.03, 0.12));
            schedule.add(new Cut(i, at, heal, first ^ i % 2 == 1));
        }
        return schedule;
    }

    /**
     * How far the sender may go while cut {@code index} is planned or not healed: to the next one, and not to the end
     * before the last one.
     */
    static long limit(final List<Cut> schedule, final int index, final long totalBytes) {
        if (index + 1 < schedule.size()) {
            return schedule.get(index + 1).atBytes();
        }
        if (index < schedule.size()) {
            final Cut last = schedule.get(index);
            return last.atBytes() + (totalBytes - last.atBytes()) * 19 / 20;
        }
        return totalBytes;
    }
}
