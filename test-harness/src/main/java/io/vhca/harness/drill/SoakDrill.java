package io.vhca.harness.drill;

import io.vhca.harness.drill.fabric.Fabric;
import io.vhca.harness.drill.fabric.LoopbackFabric;
import io.vhca.harness.drill.protocol.DrillScenario;
import io.vhca.harness.drill.soak.ProcessLook;
import io.vhca.harness.drill.soak.Soak;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A long drill on soft devices: all kinds of cuts in turn, the processes starved every other minute, and what they hold
 * looked at. One thread besides the soak's.
 */
public final class SoakDrill {
    /** Between two cuts, on the average. */
    public static final int SECONDS_PER_CUT = 6;

    private static final int HEAP_MB = 96;

    private final DrillOptions options;
    private final DrillView view;
    private final PrintWriter out;

    /** @param out what the looks saw, and the table in the end */
    public SoakDrill(final DrillOptions options, final DrillView view, final PrintWriter out) {
        this.options = options;
        this.view = view;
        this.out = out;
    }

    /**
     * Runs it to its end. It has failed also where one of the processes held more and more.
     *
     * @throws IOException when a child or the fabric cannot be started
     */
    public DrillResult run() throws IOException, InterruptedException {
        final LoopbackFabric fabric = new LoopbackFabric(
                DrillScenario.IN_TURN, HEAP_MB, TimeUnit.SECONDS.toNanos(options.soakSeconds()));
        final List<String> names = List.of(Fabric.name(false), Fabric.name(true));
        final ProcessLook look = new ProcessLook(process -> fabric.process(process == 1));
        try (Soak soak = new Soak(ProcessLook.MEASURES, names, look, Soak.everySeconds(options.soakSeconds()), out)) {
            final DrillResult result = new DrillRun(options, fabric, view).run();
            return result.failed(soak.show(out, options.soakSeconds()) ? "" : Soak.WRONG);
        }
    }
}
