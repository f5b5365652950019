package io.vhca.harness.lab;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * {@code vhca users} and {@code vhca guard} in a machine: a C program sits on rxe0, {@code rdma link del rxe0} waits
 * for it, and the guard ends it in time. One thread.
 */
public final class LabGuard {
    private static final String MAIN = "io.vhca.tool.Vhca";
    private static final long LIMIT_NS = TimeUnit.MINUTES.toNanos(4);

    /** The program takes no notice of SIGTERM, so that the second signal is seen too. */
    private static final String SCRIPT =
            """
            cat > /tmp/guard.conf <<-EOF
            end = ibv_asyncwatch
            grace_ms = 2000
            kill_after_ms = 1000
            dry_run = false
            EOF
            chmod 600 /tmp/guard.conf
            (trap '' TERM; exec ibv_asyncwatch -d rxe0) > /dev/null 2>&1 &
            until ls -l /proc/$!/fd 2> /dev/null | grep -q uverbs; do sleep 0.2; done
            %s
            %s > /tmp/guard.log 2>&1 &
            guard=$!
            until grep -q watching /tmp/guard.log || ! kill -0 $guard; do sleep 0.2; done
            rdma link del rxe0
            until grep -q 'let go' /tmp/guard.log || ! kill -0 $guard; do sleep 0.2; done
            kill $guard
            cat /tmp/guard.log
            """;

    private static final List<String> LINES = List.of(
            "\\d+ +ibv_asyncwatch +opened 1 time .*",
            ".* watching; may end: ibv_asyncwatch",
            ".* rxe0 \\(uverbs0\\) is being removed and waits for process \\d+ \\(ibv_asyncwatch\\), .* 2000 ms",
            ".* process \\d+ \\(ibv_asyncwatch\\) still has rxe0 \\(uverbs0\\): SIGTERM",
            ".* process \\d+ \\(ibv_asyncwatch\\) did not end: SIGKILL",
            ".* process \\d+ \\(ibv_asyncwatch\\) let go of rxe0 \\(uverbs0\\) after \\d+ ms");

    private final PrintWriter out;

    public LabGuard(final PrintWriter out) {
        this.out = out;
    }

    /** Runs it in machine 1, and mends that; false where it is wrong, and what was said is printed. */
    public boolean run(final Lab lab) throws IOException, InterruptedException {
        lab.endJvms();
        lab.mend();
        final String script = SCRIPT.formatted(tool("users", "rxe0"), tool("guard", "--config", "/tmp/guard.conf"));
        final Machine.Outcome outcome = Objects.requireNonNull(
                new LabJobs(lab, Map.of(1, script), LIMIT_NS, new PrintWriter(Writer.nullWriter())).run().get(1));
        lab.mend();
        final List<String> missing = LINES.stream()
                .filter(line -> outcome.output().lines().noneMatch(Pattern.compile(line).asMatchPredicate()))
                .toList();
        out.println("guard of a device that is removed: " + (missing.isEmpty() ? "as it is" : "WRONG"));
        if (!missing.isEmpty()) {
            missing.forEach(line -> out.println("  not said: " + line));
            out.println(outcome.output());
        }
        out.flush();
        return missing.isEmpty();
    }

    private static String tool(final String... words) {
        return LabPeer.quoted(LabPeer.words(List.of(), MAIN, List.of(words)));
    }
}
