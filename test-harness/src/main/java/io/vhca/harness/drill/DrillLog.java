package io.vhca.harness.drill;

import io.vhca.harness.drill.child.SideJob;
import io.vhca.harness.drill.fabric.Cut;
import io.vhca.harness.drill.fabric.Fabric;
import io.vhca.harness.drill.protocol.DrillLine;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Collects what the children say and judges it at the end. One thread. */
final class DrillLog {
    /** A link that is cut now. */
    record OpenCut(int number, boolean atReceiver, String member, long atNs) {
        String what() {
            return (atReceiver ? "receiver " : "sender ") + member;
        }
    }

    private static final double NS_PER_MS = 1e6;
    /** What recovery_timeout may be exceeded by: noticing the death takes the retry budget first. */
    private static final long KILL_GRACE_MS = 30_000;

    private final DrillOptions options;
    private final Fabric fabric;
    private long totalBytes;
    private int cuts;
    private final List<DrillResult.Sample> samples = new ArrayList<>();
    private final List<DrillResult.Mark> marks = new ArrayList<>();
    private final List<FailoverRow> rows = new ArrayList<>();
    private final Map<Integer, DrillLine> receiverSaw = new HashMap<>();
    private final Map<Integer, Long> startedNs = new HashMap<>();
    private final Map<Boolean, String> active = new HashMap<>();
    private @Nullable OpenCut open;
    private boolean isDown;
    private @Nullable DrillLine verdict;
    private @Nullable DrillLine sent;
    private @Nullable DrillLine failed;
    private @Nullable DrillLine flushed;
    private @Nullable String broken;
    private long startNs = System.nanoTime();
    private long endNs;
    private long movedNs = startNs;
    private long ackedBytes;
    private long killedNs;

    DrillLog(final DrillOptions options, final Fabric fabric, final long totalBytes) {
        this.options = options;
        this.fabric = fabric;
        this.totalBytes = totalBytes;
        cuts = options.cuts();
        active.put(true, fabric.members(true).getFirst());
        active.put(false, fabric.members(false).getFirst());
    }

    /** The drill ends before its time: with so many cuts, and as many bytes as the sender says that it sent. */
    void endsEarly(final int made) {
        cuts = made;
        totalBytes = -1;
    }

    void started(final long nowNs) {
        startNs = nowNs;
        movedNs = nowNs;
        samples.add(new DrillResult.Sample(nowNs, 0));
    }

    void progress(final DrillLine line) {
        final long bytes = line.number("acked");
        endNs = line.number("t");
        if (bytes != ackedBytes) {
            movedNs = endNs;
        }
        ackedBytes = bytes;
        samples.add(new DrillResult.Sample(endNs, bytes));
    }

    long stalledNs(final long nowNs) {
        return nowNs - movedNs;
    }

    /** The member that carries the connection on that side. */
    String activeMember(final boolean receiver) {
        return active.getOrDefault(receiver, fabric.members(receiver).getFirst());
    }

    /** Where the connection lives at first: not the first member where that was slow to answer. */
    void connectedOver(final String devices, final String path) {
        final int arrow = path.indexOf(" -> ");
        if (arrow > 0) {
            active.put(false, path.substring(0, arrow));
            carriedBy(devices, path);
        }
    }

    /**
     * Learns from the sender's path which member of the receiver it leads to.
     *
     * @param devices the receiver's devices, {@code soft0=ADDRESS,soft1=ADDRESS}
     * @param path    {@code soft1 -> ADDRESS}, empty where there is none
     */
    void carriedBy(final String devices, final String path) {
        for (final String device : devices.split(",", -1)) {
            final int equals = device.indexOf('=');
            if (!path.isEmpty() && path.endsWith(" " + device.substring(equals + 1))) {
                active.put(true, device.substring(0, equals));
            }
        }
    }

    void cutting(final Cut cut, final String member, final long nowNs) {
        isDown = true;
        open = new OpenCut(cut.index() + 1, cut.atReceiver(), member, nowNs);
    }

    /** The child did it: its moment is the exact one. */
    void plugged(final String what, final long atNs) {
        final OpenCut now = open;
        if (now != null && now.what().equals(what)) {
            open = new OpenCut(now.number(), now.atReceiver(), now.member(), atNs);
        }
    }

    /** The cut that is being healed. */
    OpenCut healing() {
        final OpenCut now = open;
        if (now == null) {
            throw new IllegalStateException("nothing is cut");
        }
        isDown = false;
        if (fabric.healAfterNs() == 0) {
            // What moves now, moves for another reason. A cut that is healed by time causes moves later, too.
            open = null;
        }
        return now;
    }

    void mark(final long atNs, final String what, final boolean up) {
        marks.add(new DrillResult.Mark(atNs, what, up));
    }

    /** Notes one side's report; gives the sender's as a row of the table. */
    @Nullable FailoverRow failover(final boolean fromSender, final DrillLine line) {
        final String to = line.text("to");
        if (!to.isEmpty()) {
            if (fromSender) {
                active.put(false, to.split(" ", -1)[0]);
            }
        }
        movedNs = System.nanoTime();
        if (!fromSender) {
            receiverSaw.put((int) line.number("epoch"), line);
            return null;
        }
        final OpenCut cut = open;
        startedNs.put((int) line.number("epoch"), line.number("startedNs"));
        final long causeNs = cut != null ? cut.atNs() : killedNs != 0 ? killedNs : line.number("startedNs");
        final double detectMs = Math.max(0, (line.number("startedNs") - causeNs) / NS_PER_MS);
        final String error = line.text("error");
        final FailoverRow row = new FailoverRow(
                cut == null ? 0 : cut.number(),
                cut != null ? cut.what() : killedNs != 0 ? "receiver killed" : "-",
                (int) line.number("epoch"),
                line.text("reason"),
                "",
                detectMs,
                line.number("fenceNs") / NS_PER_MS,
                line.number("connectNs") / NS_PER_MS,
                line.number("replayNs") / NS_PER_MS,
                line.number("negotiated"),
                line.number("replayed"),
                to,
                error.isEmpty() ? null : error);
        rows.add(row);
        return error.isEmpty() ? row : null;
    }

    void killed(final long atNs) {
        killedNs = atNs;
        marks.add(new DrillResult.Mark(atNs, "receiver killed", false));
    }

    void verdict(final DrillLine line) {
        verdict = line;
    }

    void sent(final DrillLine line) {
        totalBytes = totalBytes < 0 ? line.number("bytes") : totalBytes;
        sent = line;
    }

    void failure(final DrillLine line) {
        if (line.kind().equals("failed")) {
            failed = line;
        } else {
            flushed = line;
        }
    }

    void broken(final String why) {
        broken = why;
    }

    long ackedBytes() {
        return ackedBytes;
    }

    long totalBytes() {
        return totalBytes;
    }

    long startNs() {
        return startNs;
    }

    List<DrillResult.Sample> samples() {
        return samples;
    }

    int failovers() {
        return rows.size();
    }

    /** What goes on, in a word or two. */
    String state() {
        final OpenCut now = open;
        if (killedNs != 0) {
            return "receiver is dead";
        }
        return now == null || !isDown ? "both links up" : now.what() + " is " + options.scenario().words().state();
    }

    DrillResult result(final int survived) {
        final String wrong = options.kill() ? wrongAfterKill() : wrong(survived);
        return new DrillResult(
                options,
                fabric.describe(),
                wrong.isEmpty(),
                wrong.isEmpty() ? (options.kill() ? killVerdict() : goodVerdict(survived)) : "FAILED: " + wrong + ".",
                ackedBytes,
                sent == null ? 0 : sent.number("messages"),
                sent == null ? "" : sent.text("sha256"),
                Math.max(0, endNs - startNs),
                survived,
                rows.stream().map(this::withReceiver).toList(),
                List.copyOf(samples),
                List.copyOf(marks),
                startNs,
                outages());
    }

    private Outages outages() {
        final DrillLine last = sent;
        return last == null ? Outages.NONE : Outages.of(last);
    }

    private FailoverRow withReceiver(final FailoverRow row) {
        final DrillLine peer = receiverSaw.get(row.epoch());
        if (peer == null) {
            return row;
        }
        // Where the receiver noticed first, the time until it had told the sender counts as connecting.
        final long earlierNs = startedNs.getOrDefault(row.epoch(), 0L) - peer.number("startedNs");
        final double earlierMs = Math.max(0, Math.min(row.detectMs(), earlierNs / NS_PER_MS));
        return new FailoverRow(
                row.cut(), row.what(), row.epoch(), row.seenBy(), peer.text("reason"), row.detectMs() - earlierMs,
                row.fenceMs(), row.connectMs() + earlierMs, row.replayMs(), row.negotiated(), row.replayed(), row.to(),
                row.error());
    }

    private String goodVerdict(final int survived) {
        return String.format(
                Locale.ROOT,
                "PASSED: all %,d bytes in %,d messages arrived exactly once and in order, SHA-256 equal, across %d of"
                        + " %d %ss%s%s.",
                ackedBytes,
                sent == null ? 0 : sent.number("messages"),
                survived,
                cuts,
                options.scenario().words().noun(),
                options.cuts() == 0 ? alarms() : "",
                sent == null || sent.text("side").isEmpty() ? "" : "; " + sent.text("side"));
    }

    /** What moved the connection though nothing was cut. */
    private String alarms() {
        final Map<String, Integer> reasons = new TreeMap<>();
        rows.forEach(row -> reasons.merge(row.seenBy(), 1, Integer::sum));
        return rows.isEmpty() ? "; it never moved" : "; it moved " + rows.size() + " times, seen by " + reasons;
    }

    private String wrong(final int survived) {
        if (broken != null) {
            return broken;
        }
        if (sent == null || verdict == null) {
            return "the receiver gave no verdict";
        }
        if (verdict.number("lost") > 0 || verdict.number("doubled") > 0 || verdict.number("foreign") > 0) {
            return verdict.text("lost") + " messages lost, " + verdict.text("doubled") + " doubled, "
                    + verdict.text("foreign") + " of unknown kind";
        }
        if (sent.number("bytes") != totalBytes || verdict.number("bytes") != totalBytes) {
            return verdict.text("bytes") + " of " + totalBytes + " bytes arrived";
        }
        if (!sent.text("sha256").equals(verdict.text("sha256"))) {
            return "the receiver's SHA-256 is another than the sender's";
        }
        if (sent.text("side").contains(SideJob.WRONG)) {
            return sent.text("side");
        }
        if (cuts == 0 && options.cuts() > 0) {
            return "no " + options.scenario().words().noun() + " was made";
        }
        return survived == cuts
                ? outages().wrong(fabric.pathTimeoutMs())
                : "only " + survived + " of " + cuts + " " + options.scenario().words().noun() + "s were survived";
    }

    private String wrongAfterKill() {
        if (broken != null) {
            return broken;
        }
        if (failed == null || flushed == null) {
            return "the sender never learned that the receiver is dead";
        }
        if (failed.text("error").isEmpty()) {
            return "the sender's error has no name, only the status " + failed.text("status");
        }
        if (failed.number("wr") >= 0 && failed.number("wr") != failed.number("due")) {
            return "request " + failed.text("wr") + " failed while " + failed.text("due") + " was due";
        }
        final long tookMs = (flushed.number("t") - killedNs) / 1_000_000;
        return tookMs <= options.starve() * (options.recoveryTimeoutMs() + KILL_GRACE_MS)
                ? ""
                : "the error came after " + tookMs + " ms, later than recovery_timeout allows";
    }

    private String killVerdict() {
        final DrillLine first = failed;
        final DrillLine rest = flushed;
        if (first == null || rest == null) {
            throw new IllegalStateException("judged before");
        }
        return String.format(
                Locale.ROOT,
                "PASSED: %,d ms after kill -9 of the receiver the sender got %s (%s: %s); all %s requests are finished,"
                        + " nothing hangs (recovery_timeout is %,d ms).",
                (first.number("t") - killedNs) / 1_000_000,
                first.text("error"),
                first.text("status"),
                first.text("meaning"),
                rest.text("posted"),
                options.recoveryTimeoutMs());
    }
}
