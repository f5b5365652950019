package io.vhca.harness.drill;

import java.util.List;

/**
 * What a drill saw.
 *
 * @param ok        every byte arrived exactly once and in order, and every cut was survived (kill: see the verdict)
 * @param verdict   one sentence
 * @param samples   acknowledged bytes over time
 * @param marks     when links went and came
 * @param startNs   when the first byte was sent
 * @param outages   how long nothing came at most
 */
public record DrillResult(
        DrillOptions options,
        String fabric,
        boolean ok,
        String verdict,
        long bytes,
        long messages,
        String sha256,
        long elapsedNs,
        int survived,
        List<FailoverRow> failovers,
        List<Sample> samples,
        List<Mark> marks,
        long startNs,
        Outages outages) {
    /** So many bytes were acknowledged at that time (nanoTime). */
    public record Sample(long atNs, long bytes) {}

    /** A link went ({@code up} false) or came at that time (nanoTime). */
    public record Mark(long atNs, String what, boolean up) {}

    /** The same with something that was wrong besides; nothing where that is empty. */
    public DrillResult failed(final String wrong) {
        return wrong.isEmpty()
                ? this
                : new DrillResult(
                        options, fabric, false, (ok ? "" : verdict + " ") + "FAILED: " + wrong + ".", bytes, messages,
                        sha256, elapsedNs, survived, failovers, samples, marks, startNs, outages);
    }

    double megabytesPerSecond() {
        return elapsedNs <= 0 ? 0 : bytes * 1e3 / elapsedNs;
    }
}
