package io.vhca.harness.lab;

import io.vhca.harness.interop.CProgram;
import io.vhca.harness.interop.InteropMain;
import io.vhca.harness.interop.InteropPart;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * C programs on rxe0 of machine 1 against Java on devices of machine 2, in both directions: a table for each device
 * of what passed. One thread.
 */
public final class LabInterop {
    private static final long LIMIT_NS = TimeUnit.MINUTES.toNanos(8);
    private static final String PASSED = "passed";
    private static final String UNKNOWN = "not reached";
    /** What each side calls RETRY_EXC. */
    private static final String RETRIED_IN_VAIN_JAVA = "RETRY_EXC_ERR";
    private static final String RETRIED_IN_VAIN_C = "transport retry counter exceeded";
    /**
     * Where a peer has gone, rxe does not always give up: of 30 ibv_rc_pingpong against another two waited for the last
     * completion until timeout(1) ended them.
     */
    private static final Pattern WAITED_IN_VAIN_JAVA = Pattern.compile("no completion, with (\\d+) of \\1 received");
    private static final String WAITED_IN_VAIN_C = "ended with exit code 124:";

    /** Makes the link what a part wants it to be; both sides do. */
    private static final String WIRE =
            """
            wire() {
                tc qdisc del dev eth0 root 2> /dev/null
                ip link set eth0 mtu "$([ "$1" = LONG_PACKETS ] && echo 4500 || echo 1500)"
                [ "$1" != LOSS ] || tc qdisc add dev eth0 root netem loss 3%
            }
            """;

    /** Runs the C program of a part, once the other side is ready; says how it ended. */
    static final String C_SIDE =
            """
            ended() {
                local how=passed
                # What failed may stand before the last line: ibv_rc_pingpong ends with "parse WC failed 1".
                [ "$2" = 0 ] || how="ended with exit code $2: $(tail -n 3 /run/lab/c.log | tr '\\n' ' ')"
                echo "part $1 $how"
            }
            client() {
                local name=$1 command=$2
                barrier "$name" || return
                set -- "$(address 2 0)"
                eval "timeout 60 $command" > /run/lab/c.log 2>&1
                ended "$name" $?
            }
            server() {
                local name=$1 command=$2 port=$3 process
                eval "timeout 60 $command" > /run/lab/c.log 2>&1 &
                process=$!
                listening "$port"
                barrier "$name" || return
                wait "$process"
                ended "$name" $?
            }
            """;

    /** Java says what it waits for; the barrier is the answer. */
    private static final String JAVA_SIDE =
            """
            coproc JAVA { exec %s; }
            while read -r -u "${JAVA[0]}" word name rest; do
                if [ "$word" = meet ]; then
                    barrier "$name"
                    echo go >&"${JAVA[1]}"
                elif [ "$word" = wire ]; then
                    wire "$name"
                    echo go >&"${JAVA[1]}"
                else
                    echo "$word $name $rest"
                fi
            done
            """;

    private final PrintWriter out;

    public LabInterop(final PrintWriter out) {
        this.out = out;
    }

    /**
     * Runs all programs against those devices of Java's, one after the other.
     *
     * @param devices of the same members
     * @return which of them did not pass, and why not
     */
    public List<String> run(final Lab lab, final List<InteropDevice> devices)
            throws IOException, InterruptedException {
        lab.endJvms();
        lab.mend(devices.getFirst().kinds());
        final List<InteropPart> all =
                devices.stream().flatMap(device -> device.parts().stream()).toList();
        final List<String> args = new ArrayList<>(List.of("10.77.0.1"));
        all.forEach(part -> args.add(part.name()));
        final String java = LabPeer.quoted(LabPeer.words(
                devices.stream().map(InteropDevice::property).toList(), InteropMain.class.getName(), args));
        final Map<Integer, Machine.Outcome> outcomes = new LabJobs(
                        lab,
                        Map.of(1, programs(all), 2, WIRE + JAVA_SIDE.formatted(java)),
                        LIMIT_NS,
                        new PrintWriter(Writer.nullWriter()))
                .run();
        final Map<String, String> ofC = parts(Objects.requireNonNull(outcomes.get(1)).output());
        final Map<String, String> ofJava = parts(Objects.requireNonNull(outcomes.get(2)).output());
        lab.mend();
        return devices.stream().flatMap(device -> show(device, ofC, ofJava).stream()).toList();
    }

    private static String programs(final List<InteropPart> parts) {
        final StringBuilder script = new StringBuilder(WIRE).append(C_SIDE);
        for (final InteropPart part : parts) {
            final CProgram program = part.program();
            script.append("wire ").append(program.wire().name()).append('\n');
            if (part.isServer()) {
                script.append("server ").append(part.name()).append(" '").append(program.server("rxe0")).append("' ")
                        .append(program.port()).append('\n');
            } else {
                script.append("client ").append(part.name()).append(" '").append(program.client("rxe0"))
                        .append("'\n");
            }
        }
        script.append("wire PLAIN\n");
        return script.toString();
    }

    /** By name: what was said of a part. */
    static Map<String, String> parts(final String output) {
        return output.lines()
                .map(line -> line.split(" ", 3))
                .filter(words -> words.length == 3 && words[0].equals("part"))
                .collect(Collectors.toMap(words -> words[1], words -> words[2], (first, second) -> second));
    }

    private List<String> show(
            final InteropDevice device, final Map<String, String> ofC, final Map<String, String> ofJava) {
        final List<String> failed = new ArrayList<>();
        out.printf(
                Locale.ROOT, "%-27s  %-24s  %s%n", "C on rxe0", "client of " + device.device(),
                "server of " + device.device());
        for (final CProgram program : CProgram.values()) {
            final String[] cells = new String[2];
            for (final boolean isServer : new boolean[] {false, true}) {
                final InteropPart part = new InteropPart(device.device(), program, isServer);
                final String whyNot = device.whyNot(part);
                final String verdict = verdict(part, ofC, ofJava);
                cells[isServer ? 1 : 0] = whyNot.isEmpty() ? verdict : "- " + whyNot;
                if (whyNot.isEmpty() && !verdict.startsWith(PASSED)) {
                    failed.add(part.name() + ", " + verdict);
                }
            }
            out.printf(Locale.ROOT, "%-27s  %-24s  %s%n", program.title(), cells[0], cells[1]);
        }
        out.flush();
        return failed;
    }

    /**
     * Passed when both sides say so. Where packets get lost one may say so for both: it has ended, so it received all
     * and all that it sent was acknowledged; only what acknowledges the other side's last message can be missing, and
     * who would send it again has gone.
     */
    static String verdict(
            final InteropPart part, final Map<String, String> ofC, final Map<String, String> ofJava) {
        final String c = ofC.getOrDefault(part.name(), UNKNOWN);
        final String java = ofJava.getOrDefault(part.name(), UNKNOWN);
        if (c.equals(PASSED) && java.equals(PASSED)) {
            return PASSED;
        }
        final boolean javaMissedTheEnd =
                java.contains(RETRIED_IN_VAIN_JAVA) || WAITED_IN_VAIN_JAVA.matcher(java).find();
        final boolean cMissedTheEnd = c.contains(RETRIED_IN_VAIN_C) || c.startsWith(WAITED_IN_VAIN_C);
        final boolean oneMissedTheEnd = c.equals(PASSED) && javaMissedTheEnd || java.equals(PASSED) && cMissedTheEnd;
        return oneMissedTheEnd && part.program().wire() == CProgram.Wire.LOSS
                ? PASSED + ", last ACK lost"
                : "C: " + c + "; Java: " + java;
    }
}
