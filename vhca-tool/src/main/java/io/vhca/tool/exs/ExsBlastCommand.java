package io.vhca.tool.exs;

import io.vhca.api.Context;
import io.vhca.api.PortAttributes;
import io.vhca.exs.Exs;
import io.vhca.exs.ExsMemory;
import io.vhca.exs.ExsOptions;
import io.vhca.exs.ExsSocket;
import io.vhca.exs.MessageFlags;
import io.vhca.tool.console.OutputFile;
import io.vhca.tool.console.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code vhca exs blast}: one end sends without pause, the other one receives. */
@Command(
        name = "blast",
        mixinStandardHelpOptions = true,
        description = {
            "Sends without pause to the end that listens, size by size.",
            "",
            "Says how much arrived per second, what share that is of what the link leaves for data after the headers of"
                    + " its packets, and what share of one processor each end took. Counted is from the first send that"
                    + " is done after a tenth of the time to the last one that is done in it: neither the start, when"
                    + " nothing has arrived yet, nor the end, when nothing is sent any more. The end that listens"
                    + " counts from the first that arrives to the end, and says so when all has arrived."
        })
final class ExsBlastCommand implements Callable<Integer> {
    private static final int MOST = 16 << 20;
    private static final int DEPTH = 8;
    /** What the end that listens says at the end: the share of a processor that it took, in percent. */
    private static final ValueLayout.OfDouble SHARE =
            ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

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

    @Option(
            names = "--link",
            paramLabel = "MBIT",
            description = "speed of the link in Mbit/s (default: what the device says, 0 where it does not know)")
    private @Nullable Integer link;

    @Option(
            names = "--html",
            paramLabel = "FILE",
            converter = OutputFile.class,
            description = "writes a page with a plot there")
    private @Nullable Path html;

    @Parameters(arity = "0..1", paramLabel = Ends.PEER, description = Ends.PEER_IS)
    private @Nullable String peer;

    @Override
    public Integer call() throws IOException {
        final boolean isListening = ends.isListening(peer);
        if (ms < 1 || sizes.isEmpty() || sizes.stream().anyMatch(size -> size < 1 || size > MOST)) {
            throw ends.wrong("--sizes must be 1 .. " + MOST + ", --ms at least 1");
        }
        if (link != null && link < 0) {
            throw ends.wrong("--link must be at least 0");
        }
        try (Context context = ends.open();
                Arena arena = Arena.ofShared();
                Exs exs = Exs.init(Exs.VERSION, context, ExsOptions.DEFAULT.drivenByCaller())) {
            final Talk talk = new Talk(exs);
            final long bytes = isListening ? (long) DEPTH * MOST : MOST;
            final MemorySegment segment = arena.allocate(bytes, 64);
            final Buffer buffer = new Buffer(segment, exs.mregister(segment));
            return isListening ? serve(talk, buffer, ends.own(context)) : blast(talk, buffer, context);
        }
    }

    /** What is sent from and received into. */
    private record Buffer(MemorySegment segment, ExsMemory memory) {}

    /** Each size is a client of its own. */
    private int serve(final Talk talk, final Buffer buffer, final InetSocketAddress own) {
        return ends.serve(talk, own, socket -> {
            for (int i = 0; i < DEPTH; i++) {
                receive(talk, socket, buffer.memory(), i);
            }
            CpuMoment began = null;
            int open = DEPTH;
            for (int next = 0; open > 0; next = (next + 1) % DEPTH) {
                if (talk.await("recv").bytes() == 0) {
                    open--;
                } else {
                    began = began == null ? CpuMoment.now() : began;
                    receive(talk, socket, buffer.memory(), next);
                }
            }
            if (began != null) {
                buffer.segment().set(SHARE, 0, began.percentUntil(CpuMoment.now()));
                talk.called(
                        "send", socket,
                        socket.send(buffer.memory(), 0, SHARE.byteSize(), 0, talk.queue(), null));
                talk.await("send");
            }
        });
    }

    private static void receive(final Talk talk, final ExsSocket socket, final ExsMemory memory, final int index) {
        talk.called(
                "recv", socket, socket.recv(memory, (long) index * MOST, MOST, 0, talk.queue(), null));
    }

    /** NaN where the other end does not say it. */
    private static double receiverPercent(final Talk talk, final ExsSocket socket, final Buffer buffer) {
        socket.shutdown();
        talk.called(
                "recv", socket,
                socket.recv(
                        buffer.memory(), 0, SHARE.byteSize(), MessageFlags.MSG_WAITALL, talk.queue(), null));
        final boolean isSaid = talk.await("recv").bytes() == SHARE.byteSize();
        return isSaid ? buffer.segment().get(SHARE, 0) : Double.NaN;
    }

    private int blast(final Talk talk, final Buffer buffer, final Context context) throws IOException {
        final PortAttributes port = context.queryPort(1);
        final int linkMbps = link == null ? port.activeSpeedMbps() : link;
        final boolean isIpv6 = context.ipGid(1).address() instanceof Inet6Address;
        final List<BlastRow> rows = new ArrayList<>();
        for (final int size : sizes) {
            final double share = LinkShare.ofData(size, port.activeMtu().bytes(), isIpv6);
            final BlastRow row = blast(talk, buffer, size, linkMbps * share);
            rows.add(row);
            told(rows.size(), row);
        }
        final PrintWriter out = spec.commandLine().getOut();
        out.print(table(rows).render());
        out.flush();
        if (html != null) {
            Files.writeString(html, BlastPage.of("vhca exs blast, " + context.device().name(), rows));
        }
        return 0;
    }

    /** The table, which is as wide as its widest row, comes at the end. */
    private void told(final int done, final BlastRow row) {
        if (sizes.size() > 1) {
            final PrintWriter err = spec.commandLine().getErr();
            err.printf(
                    Locale.ROOT, "%d of %d: %.1f Mbit/s by sends of %d bytes%n", done, sizes.size(), row.mbps(),
                    row.size());
            err.flush();
        }
    }

    private BlastRow blast(final Talk talk, final Buffer buffer, final int size, final double usableMbps) {
        final ExsSocket socket = talk.connect(ends.peer(peer));
        final BlastCount count = new BlastCount(
                TimeUnit.MILLISECONDS.toNanos(ms), System.nanoTime(), CpuMoment::readCpuNs);
        int outstanding = 0;
        while (!count.isOver()) {
            for (; outstanding < DEPTH; outstanding++) {
                talk.called("send", socket, socket.send(buffer.memory(), 0, size, 0, talk.queue(), null));
            }
            talk.await("send");
            outstanding--;
            count.done(System.nanoTime());
        }
        for (; outstanding > 0; outstanding--) {
            talk.await("send");
        }
        final double receiverPercent = receiverPercent(talk, socket, buffer);
        socket.close();
        return count.row(size, usableMbps, receiverPercent);
    }

    private static TextTable table(final List<BlastRow> rows) {
        final TextTable table = new TextTable(
                "bytes a send", "sends", "Mbit/s", "% of usable", "sender, % of a CPU", "receiver, % of a CPU");
        for (final BlastRow row : rows) {
            table.row(
                    Integer.toString(row.size()), Long.toString(row.sends()),
                    String.format(Locale.ROOT, "%.1f", row.mbps()),
                    row.isUsableKnown()
                            ? String.format(Locale.ROOT, "%.2f", 100 * row.mbps() / row.usableMbps())
                            : "-",
                    row.cpu(), row.receiverCpu());
        }
        return table;
    }
}
