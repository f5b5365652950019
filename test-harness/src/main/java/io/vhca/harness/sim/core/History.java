package io.vhca.harness.sim.core;

import java.util.Locale;

/**
 * What happened in one run, in order. Always hashed, so that two runs of one seed can be compared; kept as text only
 * when asked for. Nothing is allocated while it is only hashed.
 */
public final class History {
    private static final int MOST_CHARACTERS = 4_000_000;

    private final StringBuilder text = new StringBuilder();
    private final int[] features = new int[Feature.values().length];
    private final Recording recording;
    private long hash;
    private long originNs;
    private long lines;

    public History(final Recording recording) {
        this.recording = recording;
    }

    /** Virtual time of the start, so that lines count from zero. */
    public void start(final long nowNs) {
        originNs = nowNs;
    }

    public boolean isRecorded() {
        return recording != Recording.NONE;
    }

    /**
     * Adds a line.
     *
     * @param side 0 left, 1 right, -1 for the network
     * @param qp   index of the connection, -1 for none
     */
    public void add(
            final long nowNs, final int side, final int qp, final HistoryEvent event, final long a, final long b) {
        hash = Content.key(hash + nowNs,
                (long) side << 48 ^ (long) qp << 40 ^ (long) event.ordinal() << 32 ^ a << 16 ^ b);
        lines++;
        if (recording.keeps(event)) {
            head(nowNs, side, qp);
            text.append(event.label().replaceAll("\\ba\\b", Long.toString(a)).replaceAll("\\bb\\b", Long.toString(b)))
                    .append('\n');
        }
    }

    /** Something was used that not every run uses. */
    public void used(final Feature feature, final int times) {
        features[feature.ordinal()] += times;
    }

    /** How often each was used, by ordinal. */
    public int[] features() {
        return features;
    }

    /** Adds free text to a recorded history; it is not hashed. */
    public void note(final long nowNs, final int side, final int qp, final String line) {
        if (isRecorded()) {
            head(nowNs, side, qp);
            text.append(line).append('\n');
        }
    }

    public long hash() {
        return hash;
    }

    /** How many events there were. */
    long lines() {
        return lines;
    }

    /** The history in words; empty unless it was recorded. */
    public String render() {
        return text.toString();
    }

    private void head(final long nowNs, final int side, final int qp) {
        if (text.length() > MOST_CHARACTERS) {
            // How it ended counts for more than how it began.
            text.delete(0, text.indexOf("\n", MOST_CHARACTERS / 2) + 1);
        }
        final long ns = nowNs - originNs;
        text.append(String.format(Locale.ROOT, "%10d.%03d us  %-7s", ns / 1_000, ns % 1_000,
                side < 0 ? "network" : Side.of(side).label()))
                .append(qp < 0 ? "       " : " qp " + qp + "  ");
    }
}
