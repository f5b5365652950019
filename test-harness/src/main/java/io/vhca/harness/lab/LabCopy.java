package io.vhca.harness.lab;

import io.vhca.harness.drill.protocol.InputHead;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * {@code vhca exs copy} of a file over bond0 from machine 1 to machine 2, once for each kind of cut: a quarter of it is
 * there when the receiver's link dies, half of it or more when the sender's other one does, unless all is there by
 * then. One thread.
 */
public final class LabCopy {
    private static final List<LabFault> CUTS = List.of(
            LabFault.CARRIER, LabFault.DOWN, LabFault.EGRESS, LabFault.LOSS, LabFault.DEVICE, LabFault.BOTH,
            LabFault.FLAP, LabFault.PAUSE, LabFault.ADDRESS);
    private static final String MAIN = "io.vhca.tool.Vhca";
    private static final String BOND = "vhca.bond=bond0: members=rxe0,rxe1 path_timeout=3s recovery_timeout=60s";
    private static final int PORT = 18520;
    private static final long LIMIT_NS = TimeUnit.MINUTES.toNanos(15);

    private static final String RECEIVER =
            """
            kind=%1$s bytes=%2$d into=/tmp/copy.$RANDOM
            rm -rf "$into" && mkdir "$into" && shopt -s dotglob
            there() { stat -c %%s "$into"/* 2> /dev/null | tail -n 1 | grep . || echo 0; }
            await() { until [ "$(there)" -ge "$1" ] || ! kill -0 $copy 2> /dev/null; do sleep 0.05; done; }
            %3$s --into "$into" > /tmp/copy.log 2>&1 &
            copy=$!
            listening %4$d 120
            barrier ready || exit
            await $((bytes / 4))
            cuts="one cut, at $(there)"
            [ "$(there)" -lt "$bytes" ] || cuts="no cut"
            cut_link $kind %5$d 0 || cuts="no cut, it failed"
            %6$s
            renew_link $kind %5$d 0
            await $((bytes / 2))
            if [ "$(there)" -lt "$bytes" ]; then
                cuts="${cuts/one cut/two cuts} and $(there)"
                cut_link $kind 1 1 || cuts="no cut, it failed"
                %6$s
                renew_link $kind 1 1
            fi
            wait $copy
            echo "code $?"
            cat /tmp/copy.log
            echo "cuts $cuts of $bytes bytes"
            sha256sum "$into"/* | cut -d ' ' -f 1 | sed 's/^/there /'
            rm -rf "$into"
            """;
    /** Until the copy is somewhat further than at the cut: it lives on another path. */
    private static final String UNTIL_IT_GOES_ON = "await $(($(there) + bytes / 16))";

    private static final String SENDER =
            """
            barrier ready || exit
            SECONDS=0
            %1$s --file '%2$s' %3$s:%4$d > /tmp/copy.log 2>&1
            echo "code $?"
            cat /tmp/copy.log
            echo "took $SECONDS s"
            sha256sum '%2$s' | cut -d ' ' -f 1 | sed 's/^/sent /'
            """;

    private final long bytes;
    private final PrintWriter out;

    /** @param bytes of the file */
    public LabCopy(final long bytes, final PrintWriter out) {
        this.bytes = bytes;
        this.out = out;
    }

    /** Copies it once for each kind; the kinds whose copy failed, each said with what was printed. */
    public List<String> run(final Lab lab, final Path input) throws IOException, InterruptedException {
        final Path file = InputHead.copy(input, bytes);
        final List<String> failed = new ArrayList<>();
        try {
            for (final LabFault kind : CUTS) {
                if (!run(lab, kind, file)) {
                    failed.add(kind.word());
                }
            }
        } finally {
            Files.delete(file);
        }
        return failed;
    }

    private boolean run(final Lab lab, final LabFault kind, final Path file) throws IOException, InterruptedException {
        lab.endJvms();
        lab.mend();
        final Map<Integer, String> scripts = new LinkedHashMap<>();
        scripts.put(1, String.format(Locale.ROOT, SENDER, copy(), file, "10.77.0.2", PORT));
        scripts.put(2, String.format(Locale.ROOT, RECEIVER,
                kind.word(),
                Files.size(file),
                copy("--listen", String.valueOf(PORT), "--clients", "1"),
                PORT,
                kind == LabFault.PAUSE ? 1 : 2,
                kind.healAfterNs() == 0
                        ? UNTIL_IT_GOES_ON
                        : "sleep " + Math.max(1, TimeUnit.NANOSECONDS.toSeconds(kind.healAfterNs()))));
        final Map<Integer, Machine.Outcome> outcomes =
                new LabJobs(lab, scripts, LIMIT_NS, new PrintWriter(Writer.nullWriter())).run();
        lab.mend();
        return judge(
                kind, Objects.requireNonNull(outcomes.get(1)).output(),
                Objects.requireNonNull(outcomes.get(2)).output());
    }

    private static String copy(final String... words) {
        final List<String> all = new ArrayList<>(List.of("exs", "copy"));
        all.addAll(List.of(words));
        return LabPeer.quoted(LabPeer.words(List.of(BOND), MAIN, all));
    }

    private boolean judge(final LabFault kind, final String sender, final String receiver) {
        final String wrong = wrong(sender, receiver);
        out.println("copy through " + kind.word() + ": "
                + (wrong.isEmpty()
                        ? "exact, " + word(receiver, "cuts ") + ", " + word(sender, "took ")
                        : "WRONG, " + wrong));
        if (!wrong.isEmpty()) {
            sender.lines().forEach(line -> out.println("  1| " + line));
            receiver.lines().forEach(line -> out.println("  2| " + line));
        }
        out.flush();
        return wrong.isEmpty();
    }

    /** What is wrong with what the two ends printed; empty for nothing. */
    static String wrong(final String sender, final String receiver) {
        final String sent = word(sender, "sent ");
        if (!word(sender, "code ").equals("0") || !word(receiver, "code ").equals("0")) {
            return "an end did not end well";
        }
        if (sent.isEmpty() || !sent.equals(word(receiver, "there "))) {
            return "what is there is not what was sent";
        }
        final String cuts = word(receiver, "cuts ");
        if (cuts.contains("it failed")) {
            return "a link could not be cut";
        }
        return cuts.matches("(one|two) cut.*") ? "" : "it was over before the first cut";
    }

    /** What stands behind that in the line that begins with it; empty where there is none. */
    private static String word(final String output, final String begin) {
        return output.lines()
                .filter(line -> line.startsWith(begin))
                .map(line -> line.substring(begin.length()))
                .findFirst()
                .orElse("");
    }
}
