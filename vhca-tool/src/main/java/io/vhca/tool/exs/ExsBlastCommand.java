package io.vhca.tool.exs;

import io.vhca.api.Context;
import io.vhca.exs.Exs;
import io.vhca.exs.ExsMemory;
import io.vhca.exs.ExsOptions;
import io.vhca.exs.ExsSocket;
import io.vhca.tool.console.TextTable;
import java.io.PrintWriter;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code vhca exs blast}: one end sends without pause, the other one receives. */
@Command(
        name = "blast",
        mixinStandardHelpOptions = true,
        description = {
            "Sends without pause to the end that listens, size by size.",
            "",
            "Says how much of what was sent per second had arrived, and what share of one processor this end took."
        })
final class ExsBlastCommand implements Callable<Integer> {
    private static final int MOST = 16 << 20;
    private static final int DEPTH = 8;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    @SuppressWarnings("NullAway.Init")
    private Ends ends;

    @Option(
            names = "--sizes",
            paramLabel = "BYTES",
            split = ",",
            defaultValue = "64,1024,16384,65536,1048576,16777216",
            description = "bytes of a send, one after the other (default: ${DEFAULT-VALUE})")
    private List<Integer> sizes = List.of();

    @Option(
            names = "--ms",
            paramLabel = "MS",
            defaultValue = "2000",
            description = "how long each size is sent (default: ${DEFAULT-VALUE})")
    private int ms = 2_000;

    @Override
    public Integer call() {
        final boolean isListening = ends.isListening();
        if (ms < 1 || sizes.isEmpty() || sizes.stream().anyMatch(size -> size < 1 || size > MOST)) {
            throw ends.wrong("--sizes must be 1 .. " + MOST + ", --ms at least 1");
        }
        try (Context context = ends.open();
                Arena arena = Arena.ofShared();
                Exs exs = Exs.init(Exs.VERSION, context, ExsOptions.DEFAULT.drivenByCaller())) {
            final Talk talk = new Talk(exs);
            final long bytes = isListening ? (long) DEPTH * MOST : MOST;
            final ExsMemory memory = exs.mregister(arena.allocate(bytes, 64));
            return isListening ? serve(talk, memory, ends.own(context)) : blast(talk, memory);
        }
    }

    /** Each size is a client of its own. */
    private int serve(final Talk talk, final ExsMemory memory, final InetSocketAddress own) {
        final ExsSocket listener = talk.listen(own);
        for (int client = 0; client < ends.clients(); client++) {
            final ExsSocket socket = talk.accept(listener);
            for (int i = 0; i < DEPTH; i++) {
                receive(talk, socket, memory, i);
            }
            int open = DEPTH;
            for (int next = 0; open > 0; next = (next + 1) % DEPTH) {
                if (talk.await("recv").bytes() == 0) {
                    open--;
                } else {
                    receive(talk, socket, memory, next);
                }
            }
            socket.close();
        }
        return 0;
    }

    private static void receive(final Talk talk, final ExsSocket socket, final ExsMemory memory, final int index) {
        Talk.check(
                "recv", socket, socket.recv(memory, (long) index * MOST, MOST, 0, talk.queue(), null));
    }

    private int blast(final Talk talk, final ExsMemory memory) {
        final TextTable table = new TextTable("bytes a send", "sends", "Mbit/s", "% of a CPU");
        for (final int size : sizes) {
            final ExsSocket socket = talk.connect(ends.peer());
            final long cpuNs = cpuNs();
            final long beganNs = System.nanoTime();
            long sends = 0;
            long done = 0;
            while (System.nanoTime() - beganNs < TimeUnit.MILLISECONDS.toNanos(ms) || sends == 0) {
                Talk.check("send", socket, socket.send(memory, 0, size, 0, talk.queue(), null));
                sends++;
                if (sends - done == DEPTH) {
                    talk.await("send");
                    done++;
                }
            }
            for (; done < sends; done++) {
                talk.await("send");
            }
            final double seconds = (System.nanoTime() - beganNs) / 1e9;
            final double cpu = (cpuNs() - cpuNs) / 1e9;
            socket.close();
            table.row(
                    Integer.toString(size), Long.toString(sends),
                    String.format(Locale.ROOT, "%.1f", sends * (double) size * 8 / 1e6 / seconds),
                    String.format(Locale.ROOT, "%.0f", 100 * cpu / seconds));
        }
        final PrintWriter out = spec.commandLine().getOut();
        out.print(table.render());
        out.flush();
        return 0;
    }

    private static long cpuNs() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof final com.sun.management.OperatingSystemMXBean os
                ? os.getProcessCpuTime()
                : 0;
    }
}
