package io.vhca.tool.exs;

import io.vhca.api.Context;
import io.vhca.exs.Exs;
import io.vhca.exs.ExsMemory;
import io.vhca.exs.ExsOptions;
import io.vhca.exs.ExsSocket;
import io.vhca.exs.MessageFlags;
import java.io.PrintWriter;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
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

/** {@code vhca exs ping}: how long a message takes there and back. */
@Command(
        name = "ping",
        mixinStandardHelpOptions = true,
        description = "Sends messages there and back, and says how long that takes.")
final class ExsPingCommand implements Callable<Integer> {
    private static final int MOST = 1 << 20;
    private static final int WARM_UP = 100;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    @SuppressWarnings("NullAway.Init")
    private Ends ends;

    @Option(
            names = "--size",
            paramLabel = "BYTES",
            defaultValue = "64",
            description = "bytes of a message, up to a MB (default: ${DEFAULT-VALUE})")
    private int size = 64;

    @Option(
            names = "--count",
            paramLabel = "N",
            defaultValue = "10000",
            description = "how often (default: ${DEFAULT-VALUE})")
    private int count = 10_000;

    @Parameters(arity = "0..1", paramLabel = Ends.PEER, description = Ends.PEER_IS)
    private @Nullable String peer;

    @Override
    public Integer call() {
        final boolean isListening = ends.isListening(peer);
        if (size < 1 || size > MOST || count < 1) {
            throw ends.wrong("--size must be 1 .. " + MOST + ", --count at least 1");
        }
        try (Context context = ends.open();
                Arena arena = Arena.ofShared();
                Exs exs = Exs.init(Exs.VERSION, context, ExsOptions.DEFAULT.drivenByCaller())) {
            final Talk talk = new Talk(exs);
            final ExsMemory memory = exs.mregister(arena.allocate(MOST, 64));
            return isListening ? serve(talk, memory, ends.own(context)) : ping(talk, memory);
        }
    }

    private int serve(final Talk talk, final ExsMemory memory, final InetSocketAddress own) {
        return ends.serve(talk, own, socket -> {
            for (long bytes = receive(talk, socket, memory); bytes > 0; bytes = receive(talk, socket, memory)) {
                talk.called("send", socket, socket.send(memory, 0, bytes, 0, talk.queue(), null));
                talk.await("send");
            }
        });
    }

    private static long receive(final Talk talk, final ExsSocket socket, final ExsMemory memory) {
        talk.called("recv", socket, socket.recv(memory, 0, MOST, 0, talk.queue(), null));
        return talk.await("recv").bytes();
    }

    private int ping(final Talk talk, final ExsMemory memory) {
        final ExsSocket socket = talk.connect(ends.peer(peer));
        final long[] timesNs = new long[count];
        for (int round = -Math.min(WARM_UP, count); round < count; round++) {
            final long beganNs = System.nanoTime();
            talk.called("send", socket, socket.send(memory, 0, size, 0, talk.queue(), null));
            talk.called(
                    "recv", socket,
                    socket.recv(memory, 0, size, MessageFlags.MSG_WAITALL, talk.queue(), null));
            talk.await("send");
            talk.await("recv");
            if (round >= 0) {
                timesNs[round] = System.nanoTime() - beganNs;
            }
        }
        socket.close();
        Arrays.sort(timesNs);
        final PrintWriter out = spec.commandLine().getOut();
        out.printf(
                Locale.ROOT,
                "%d bytes there and back, %d times: least %.1f us, median %.1f us, 99 %% %.1f us%n", size, count,
                timesNs[0] / 1e3, timesNs[count / 2] / 1e3, timesNs[(int) (count * 0.99)] / 1e3);
        out.flush();
        return 0;
    }
}
