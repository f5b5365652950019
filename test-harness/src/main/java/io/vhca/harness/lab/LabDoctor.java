package io.vhca.harness.lab;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * {@code vhca doctor} in the machines, where libraries, modules and devices are real: in one all is well, in the other
 * a link is down, an address is gone and the user may do little, and it has to say so. One thread.
 */
public final class LabDoctor {
    private static final String MAIN = "io.vhca.tool.Vhca";
    private static final long LIMIT_NS = TimeUnit.MINUTES.toNanos(3);

    /**
     * What is done to a machine, and how the doctor ends there.
     *
     * @param where  for people
     * @param before bash, goes before the doctor
     * @param code   its exit code
     * @param lines  what it says, a pattern each
     */
    record Case(String where, String before, int code, List<String> lines) {
        /** What is wrong with its outcome, a line each; empty for nothing. */
        String wrong(final int gotCode, final String output) {
            final StringBuilder text = new StringBuilder();
            if (gotCode != code) {
                text.append("  exit code ").append(gotCode).append(", not ").append(code).append('\n');
            }
            for (final String line : lines) {
                if (output.lines().noneMatch(Pattern.compile(line).asMatchPredicate())) {
                    text.append("  not said: ").append(line).append('\n');
                }
            }
            return text.toString();
        }
    }

    /** By machine. */
    static final Map<Integer, Case> CASES = Map.of(
            1, new Case(
                    "where all is well",
                    "",
                    0,
                    List.of(
                            "ok +libraries +libibverbs.so.1 and librdmacm.so.1 can be loaded",
                            "ok +kernel modules +ib_uverbs and rdma_ucm are there",
                            "ok +device files +.*/rdma_cm, uverbs0, uverbs1",
                            "ok +rxe0 port 1 +ACTIVE, ETHERNET, .*::ffff:10.77.0.1 is an address of eth0",
                            "ok +rxe1 port 1 +ACTIVE, ETHERNET, .*::ffff:10.77.1.1 is an address of eth1",
                            "ok +soft devices +soft0 127.0.0.1, soft1 127.0.0.2; loopback addresses, .*",
                            "ok +bond0 +mode active-backup, members rxe0, rxe1 are there and open",
                            "ok +bond0 limits +the same on all members",
                            "warning +bond0 MTU +path MTU of rxe0 1024 .eth0 1500., rxe1 1024 .eth1 1500.: .*",
                            "ok +bond0 paths +each member has an interface of its own.*",
                            "0 problems, 1 warning, .*")),
            2, new Case(
                    "where links are broken, as a user without privileges",
                    "ip link set eth0 down && ip addr flush dev eth1 && ulimit -l 64"
                            + " && setpriv --inh-caps=-all --bounding-set=-all -- ",
                    1,
                    List.of(
                            "warning +locked memory +limit 65536 bytes: .*",
                            "warning +socket buffers +net.core.rmem_max is [0-9]{5,}, .*",
                            "problem +rxe0 port 1 +DOWN, ETHERNET.*",
                            " +to do: `ip link set eth0 up`.*",
                            "problem +rxe1 port 1 +ACTIVE, ETHERNET.* none of its \\d+ GIDs is an IP address of .*",
                            " +to do: give its interface one: `ip addr add .* dev eth1`",
                            "ok +soft devices +soft0, soft1 cannot open: the kernel's rdma_rxe has UDP port 4791 .*",
                            "not checked +bond0 paths .*",
                            "2 problems, .*")));

    private final PrintWriter out;

    public LabDoctor(final PrintWriter out) {
        this.out = out;
    }

    /** Runs it in both machines, then mends them; false where it is wrong, and what it said is printed. */
    public boolean run(final Lab lab) throws IOException, InterruptedException {
        lab.endJvms();
        lab.mend();
        final String doctor = LabPeer.quoted(LabPeer.words(
                List.of("vhca.bond=bond0: members=rxe0,rxe1", "vhca.soft=soft0=127.0.0.1,soft1=127.0.0.2"),
                MAIN,
                List.of("doctor")));
        final Map<Integer, String> scripts = new LinkedHashMap<>();
        CASES.forEach((machine, one) -> scripts.put(machine, one.before() + doctor));
        final Map<Integer, Machine.Outcome> outcomes =
                new LabJobs(lab, scripts, LIMIT_NS, new PrintWriter(Writer.nullWriter())).run();
        lab.mend();
        boolean isRight = true;
        for (final Map.Entry<Integer, Case> one : CASES.entrySet()) {
            isRight &= isRight(one.getValue(), Objects.requireNonNull(outcomes.get(one.getKey())));
        }
        return isRight;
    }

    private boolean isRight(final Case expected, final Machine.Outcome outcome) {
        final String wrong = expected.wrong(outcome.code(), outcome.output());
        out.println("doctor " + expected.where() + ": " + (wrong.isEmpty() ? "as it is" : "WRONG"));
        if (!wrong.isEmpty()) {
            out.print(wrong);
            out.println(outcome.output());
        }
        out.flush();
        return wrong.isEmpty();
    }
}
