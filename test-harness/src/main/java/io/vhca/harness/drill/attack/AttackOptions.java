package io.vhca.harness.drill.attack;

import io.vhca.harness.drill.attack.kind.AttackKind;
import io.vhca.harness.drill.attack.kind.AttackTable;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * What an attack drill does.
 *
 * @param input    the file that crosses, again and again
 * @param seed     of everything that is drawn
 * @param isShort  one attack of each kind, and less time for each
 * @param only     labels must contain a match of this; empty for all
 * @param linkMBs  what each soft port sends at most, MB/s; 0 for no limit, and floods without one
 * @param bond     more of the bonds' configuration, as for a key
 * @param hasKey   the bonds prove who they are
 */
public record AttackOptions(
        Path input, long seed, boolean isShort, String only, int linkMBs, String bond, boolean hasKey) {
    /** Below half of what the link carries. */
    private static final double FLOOD_SHARE = 0.4;

    private static final long BYTES_PER_MB = 1_000_000;
    private static final int BITS = 8;

    /**
     * The attacks that are made.
     *
     * @throws java.util.regex.PatternSyntaxException where {@code only} is no regular expression
     */
    public List<AttackKind> kinds() {
        final Pattern pattern = Pattern.compile(only);
        return AttackTable.ALL.stream()
                .filter(kind -> (!isShort || kind.isShort()) && pattern.matcher(kind.label()).find())
                .toList();
    }

    /** How long an attack lasts. */
    long attackMs() {
        return isShort ? 500 : 2_000;
    }

    /** How long throughput is measured before. */
    long beforeMs() {
        return isShort ? 300 : 1_500;
    }

    /** What a flood takes of the link; 0 for as much as it gets. */
    long floodBytesPerSecond() {
        return (long) (linkMBs * BYTES_PER_MB * FLOOD_SHARE);
    }

    String portOptions() {
        return linkMBs == 0 ? "" : ";rate=" + linkMBs * BITS;
    }

    /** Short windows, and floods without a limit, say nothing of the throughput. */
    public boolean isRateJudged() {
        return !isShort && linkMBs > 0;
    }
}
