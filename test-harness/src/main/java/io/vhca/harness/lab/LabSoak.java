package io.vhca.harness.lab;

import io.vhca.harness.drill.soak.Measure;
import io.vhca.harness.drill.soak.Soak;
import java.io.PrintWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a soak in the lab looks at: the two processes, and the RDMA objects that the machines' kernels count. */
final class LabSoak implements Soak.Look {
    static final List<Measure> MEASURES = List.of(
            Measure.RESIDENT, Measure.DESCRIPTORS, Measure.THREADS, Measure.of("QPs"), Measure.of("CM ids"),
            Measure.of("MRs"), Measure.of("CQs"), Measure.of("PDs"));

    private static final List<String> PROCESSES = List.of("sender", "receiver");

    private static final String LOOK =
            """
            p=$(pidof java) && p=${p%% *} || exit 1
            rss=$(awk '/^VmRSS/{print $2}' /proc/$p/status); th=$(awk '/^Threads/{print $2}' /proc/$p/status)
            fd=$(ls /proc/$p/fd | wc -l)
            rdma resource show | awk -v first="$rss $fd $th" '{ for (i = 1; i < NF; i++) n[$i] += $(i + 1) }
                END { print first, n["qp"] + 0, n["cm_id"] + 0, n["mr"] + 0, n["cq"] + 0, n["pd"] + 0 }'
            """;

    private final Lab lab;

    private LabSoak(final Lab lab) {
        this.lab = lab;
    }

    static Soak begin(final Lab lab, final long everySeconds, final PrintWriter out) {
        return new Soak(MEASURES, PROCESSES, new LabSoak(lab), everySeconds, out);
    }

    @Override
    public long @Nullable [] at(final int process) {
        final Machine.Outcome outcome = lab.machine(process + 1).exec(LOOK);
        return outcome.code() == 0 ? parse(outcome.output()) : null;
    }

    static long[] parse(final String line) {
        final String[] words = line.strip().split(" ", -1);
        final long[] values = new long[MEASURES.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = Long.parseLong(words[i]);
        }
        return values;
    }
}
