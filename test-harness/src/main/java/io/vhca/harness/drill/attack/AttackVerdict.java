package io.vhca.harness.drill.attack;

import io.vhca.harness.drill.attack.kind.AttackKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What one attack came to.
 *
 * @param kind       the attack
 * @param sent       packets that it sent
 * @param floodMBs   what they took of the link, MB/s
 * @param broken     why the transfer ended, empty where it did not
 * @param isExact    every byte of the transfer meanwhile arrived once and in order
 * @param failovers  recoveries that began at either end
 * @param beforeMBs  throughput right before
 * @param duringMBs  throughput meanwhile
 * @param grownBytes by how much the end that grew most had grown when it ended
 * @param leftBytes  the same, when it was back or ten seconds later
 * @param backMs     after how long it was back
 * @param counted    what the attacked counted meanwhile, under the names of the row
 */
public record AttackVerdict(
        AttackKind kind,
        long sent,
        double floodMBs,
        String broken,
        boolean isExact,
        long failovers,
        double beforeMBs,
        double duringMBs,
        long grownBytes,
        long leftBytes,
        long backMs,
        Map<String, Long> counted) {
    /** What memory may grow by meanwhile. */
    static final long MOST_GROWTH_BYTES = 64L << 20;
    /** Less than this is what a JVM's own threads and compilers come and go by. */
    static final long BACK_BYTES = 16L << 20;
    /** The least part of the throughput before that must be left. */
    static final double LEAST_RATIO = 0.8;

    /** Throughput meanwhile as a part of that before. */
    public double ratio() {
        return beforeMBs == 0 ? 0 : duringMBs / beforeMBs;
    }

    /** What is not as it must be, one sentence each, whatever the attack may come to. */
    public List<String> failures(final boolean isRateJudged) {
        final List<String> all = new ArrayList<>();
        if (!broken.isEmpty()) {
            all.add("the transfer ended: " + broken);
        } else if (!isExact) {
            all.add("the transfer is not exact");
        }
        if (failovers > 0) {
            all.add(failovers + " failovers");
        }
        if (isRateJudged && ratio() < LEAST_RATIO) {
            all.add(String.format(Locale.ROOT, "throughput fell to %.2f of before", ratio()));
        }
        if (grownBytes > MOST_GROWTH_BYTES) {
            all.add("memory grew by " + (grownBytes >> 20) + " MiB");
        }
        if (leftBytes > BACK_BYTES) {
            all.add("memory is not back: " + (leftBytes >> 20) + " MiB more after ten seconds");
        }
        if (sent == 0) {
            all.add("nothing was sent");
        }
        if (counted.isEmpty() && broken.isEmpty()) {
            all.add("not counted");
        }
        return all;
    }

    /** True where throughput fell and nothing else happened. */
    boolean isOnlySlow() {
        return failures(false).isEmpty() && !failures(true).isEmpty();
    }

    /** True where that is a failure of what was attacked. */
    public boolean isFailure(final boolean hasKey, final boolean isRateJudged) {
        return kind.defence().holds(hasKey) && !failures(isRateJudged).isEmpty();
    }
}
