package io.vhca.tool.exs;

import io.vhca.api.Context;
import io.vhca.exs.Exs;
import io.vhca.exs.ExsOptions;
import java.io.PrintWriter;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code vhca exs crowd}: many sockets between two ends. */
@Command(
        name = "crowd",
        mixinStandardHelpOptions = true,
        description = {
            "Opens many sockets to one end, and sends a message there and back on each, round after round.",
            "",
            "It prints connects a second, memory a socket and how long a round takes. A link that is cut meanwhile"
                    + " shows as the longest round.",
            "",
            "With --listen, --clients counts sockets."
        })
final class ExsCrowdCommand implements Callable<Integer> {
    private static final int MOST = 30_000;
    private static final long NS_A_SECOND = 1_000_000_000L;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    @SuppressWarnings("NullAway.Init")
    private Ends ends;

    @Option(
            names = "--sockets",
            paramLabel = "N",
            defaultValue = "1000",
            description = "how many are open at once; with --listen, at most (default: ${DEFAULT-VALUE})")
    private int sockets = 1_000;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "10",
            description = "messages on each socket, at least (default: ${DEFAULT-VALUE})")
    private int rounds = 10;

    @Option(
            names = "--for",
            paramLabel = "SECONDS",
            defaultValue = "0",
            description = "go on for so long (default: ${DEFAULT-VALUE})")
    private int seconds;

    @Parameters(arity = "0..1", paramLabel = Ends.PEER, description = Ends.PEER_IS)
    private @Nullable String peer;

    @Override
    public Integer call() {
        final boolean isListening = ends.isListening(peer);
        if (sockets < 1 || sockets > MOST || rounds < 1 || seconds < 0) {
            throw ends.wrong("--sockets must be 1 .. " + MOST + ", --rounds at least 1, --for not negative");
        }
        try (Context context = ends.open();
                Arena arena = Arena.ofShared();
                Exs exs = Exs.init(Exs.VERSION, context, ExsOptions.DEFAULT.drivenByCaller())) {
            final Crowd crowd = new Crowd(exs, arena, sockets);
            if (isListening) {
                return crowd.serve(ends.own(context), ends.clients()) == 0 ? 0 : 1;
            }
            measure(crowd);
            return 0;
        }
    }

    private void measure(final Crowd crowd) {
        final Footprint before = Footprint.now();
        final long beganNs = System.nanoTime();
        crowd.connect(ends.peer(peer));
        final double connectSeconds = (System.nanoTime() - beganNs) / (double) NS_A_SECOND;
        final Footprint after = Footprint.now();
        final PrintWriter out = spec.commandLine().getOut();
        out.printf(Locale.ROOT, "%d sockets, %.0f connects a second%n", sockets, sockets / connectSeconds);
        out.printf(
                Locale.ROOT, "memory of a socket at this end: %.1f KB of heap, %.1f KB resident%n",
                (after.heapBytes() - before.heapBytes()) / 1024.0 / sockets,
                (after.residentBytes() - before.residentBytes()) / 1024.0 / sockets);
        // Who waits for them to be there, to cut a link, sees it.
        out.flush();
        long[] timesNs = new long[rounds];
        int count = 0;
        final long startNs = System.nanoTime();
        while (count < rounds || System.nanoTime() - startNs < seconds * NS_A_SECOND) {
            if (count == timesNs.length) {
                timesNs = Arrays.copyOf(timesNs, 2 * count);
            }
            final long roundNs = System.nanoTime();
            crowd.round();
            timesNs[count++] = System.nanoTime() - roundNs;
        }
        crowd.close();
        Arrays.sort(timesNs, 0, count);
        out.printf(
                Locale.ROOT,
                "a message of %d bytes there and back on each, %d times: least %.1f ms, median %.1f ms, longest %.1f"
                        + " ms%n",
                Crowd.BYTES, count, timesNs[0] / 1e6, timesNs[count / 2] / 1e6, timesNs[count - 1] / 1e6);
        out.flush();
    }
}
