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
 * {@code vhca guard} in a machine: a C program sits on rxe0, {@code rdma link del rxe0} waits for it, and the guard
 * ends it in time. At the same time {@code vhca users} in the other machine, where such a program sits too. One thread.
 */
public final class LabGuard {
    private static final String MAIN = "io.vhca.tool.Vhca";
    private static final long LIMIT_NS = TimeUnit.MINUTES.toNanos(4);

    /** The program takes no notice of SIGTERM, so that the guard's second signal is seen too. */
    private static final String USER =
            """
            (trap '' TERM; exec ibv_asyncwatch -d rxe0) > /dev/null 2>&1 &
            user=$!
            until ls -l /proc/$user/fd 2> /dev/null | grep -q uverbs; do sleep 0.2; done
            """;

    private static final String USERS = USER
            + """
            %s
            kill -9 $user
            """;

    private static final String GUARD = USER
            + """
            cat > /tmp/guard.conf <<-EOF
            end = ibv_asyncwatch
            grace_ms = 2000
            kill_after_ms = 1000
            dry_run = false
            EOF
            chmod 600 /tmp/guard.conf
            %s > /tmp/guard.log 2>&1 &
            guard=$!
            until grep -q watching /tmp/guard.log || ! kill -0 $guard; do sleep 0.2; done
            rdma link del rxe0
            until grep -q 'let go' /tmp/guard.log || ! kill -0 $guard; do sleep 0.2; done
            kill $guard
            cat /tmp/guard.log
            """;

    /** What is said, by machine. */
    private static final Map<Integer, List<String>> LINES = Map.of(
            1,
            List.of(
                    ".* watching; may end: ibv_asyncwatch",
                    ".* rxe0 \\(uverbs0\\) is being removed and waits for process \\d+ \\(ibv_asyncwatch\\),"
                            + " .* 2000 ms",
                    ".* process \\d+ \\(ibv_asyncwatch\\) still has rxe0 \\(uverbs0\\): SIGTERM",
                    ".* process \\d+ \\(ibv_asyncwatch\\) did not end: SIGKILL",
                    ".* process \\d+ \\(ibv_asyncwatch\\) let go of rxe0 \\(uverbs0\\) after \\d+ ms"),
            2,
            List.of("\\d+ +ibv_asyncwatch +opened 1 time .*"));

    private final PrintWriter out;

    public LabGuard(final PrintWriter out) {
        this.out = out;
    }

    /** Runs both, and mends the machines; false where one is wrong, and what was said is printed. */
    public boolean run(final Lab lab) throws IOException, InterruptedException {
        lab.endJvms();
        lab.mend();
        final Map<Integer, String> scripts = Map.of(
                1, GUARD.formatted(tool("guard", "--config", "/tmp/guard.conf")),
                2, USERS.formatted(tool("users", "rxe0")));
        final Map<Integer, Machine.Outcome> outcomes =
                new LabJobs(lab, scripts, LIMIT_NS, new PrintWriter(Writer.nullWriter())).run();
        lab.mend();
        final boolean guards = isRight("guard of a device that is removed", 1, outcomes);
        return isRight("users of a device", 2, outcomes) && guards;
    }

    private boolean isRight(final String what, final int machine, final Map<Integer, Machine.Outcome> outcomes) {
        final String output = Objects.requireNonNull(outcomes.get(machine)).output();
        final List<String> missing = Objects.requireNonNull(LINES.get(machine)).stream()
                .filter(line -> output.lines().noneMatch(Pattern.compile(line).asMatchPredicate()))
                .toList();
        out.println(what + ": " + (missing.isEmpty() ? "as it is" : "WRONG"));
        if (!missing.isEmpty()) {
            missing.forEach(line -> out.println("  not said: " + line));
            out.println(output);
        }
        out.flush();
        return missing.isEmpty();
    }

    private static String tool(final String... words) {
        return LabPeer.quoted(LabPeer.words(List.of(), MAIN, List.of(words)));
    }
}
