package io.vhca.disni;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Errno;
import io.vhca.api.cm.CmEventType;
import io.vhca.disni.DisniWorld.Program;
import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** DiSNI's programs run unchanged, of either version, on a soft device and on a bond whose links die. */
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DisniProgramsTest {
    private static final int CUTS = 5;
    private static final int MESSAGES = 600;

    /** What the server's part and the client's part answered. */
    private record Pair(Object served, Object asked) {}

    private interface Serving {
        Object run(Program program, InetSocketAddress address, Runnable listening) throws Exception;
    }

    private interface Asking {
        Object run(Program program, InetSocketAddress address) throws Exception;
    }

    /**
     * Runs both parts of a program.
     *
     * @param listensOn the soft device whose address the server binds
     */
    private static Pair run(
            final Program server,
            final Program client,
            final String listensOn,
            final int port,
            final Serving serve,
            final Asking ask)
            throws Exception {
        final InetSocketAddress address = new InetSocketAddress(DisniWorld.addressOf(listensOn), port);
        final CountDownLatch listening = new CountDownLatch(1);
        final FutureTask<Object> served = new FutureTask<>(() -> {
            try {
                return serve.run(server, address, listening::countDown);
            } finally {
                listening.countDown();
            }
        });
        // A daemon: a server whose client failed waits for ever.
        Thread.ofPlatform().daemon().name("server").start(served);
        listening.await();
        final Object asked = ask.run(client, address);
        return new Pair(served.get(), asked);
    }

    @ParameterizedTest
    @CsvSource({
        "1, soft0, soft2, soft0",
        "2, soft0, soft2, soft0",
        "1, bond0, bond1, soft0",
        "2, bond2, bond3, soft4"
    })
    void aClientReadsAndWritesWhatTheServerHas(
            final int version, final String server, final String client, final String listensOn) throws Exception {
        final Pair pair = run(
                DisniWorld.program(version, server),
                DisniWorld.program(version, client),
                listensOn,
                1001,
                (program, address, listening) -> program.call("ReadProgram", "serve", address, listening),
                (program, address) -> program.call("ReadProgram", "ask", address));
        assertThat(pair).isEqualTo(new Pair("what the client wrote", "what the server has"));
    }

    @ParameterizedTest
    @CsvSource({"1, soft0, soft2", "2, soft0, soft2"})
    void messagesAreEchoed(final int version, final String server, final String client) throws Exception {
        assertThat(echo(version, server, client, "soft0", sent -> {})).isEqualTo(new Pair(MESSAGES, MESSAGES));
    }

    @ParameterizedTest
    @CsvSource({"1, bond0, bond1, soft0, soft1", "2, bond2, bond3, soft4, soft5"})
    void messagesAreEchoedOnceAndInOrderThroughFiveCuts(
            final int version, final String server, final String client, final String first, final String second)
            throws Exception {
        final Cuts cuts = new Cuts(first, second);
        assertThat(echo(version, server, client, first, cuts)).isEqualTo(new Pair(MESSAGES, MESSAGES));
        assertThat(cuts.made).isEqualTo(CUTS);
    }

    private static Pair echo(
            final int version,
            final String server,
            final String client,
            final String listensOn,
            final IntConsumer sent)
            throws Exception {
        return run(
                DisniWorld.program(version, server),
                DisniWorld.program(version, client),
                listensOn,
                1011,
                (program, address, listening) -> program.call("EchoProgram", "serve", address, listening),
                (program, address) -> program.call("EchoProgram", "ask", address, MESSAGES, sent));
    }

    /** Cuts the path that carries the messages, the one member and the other in turn, and mends the one before. */
    private static final class Cuts implements IntConsumer {
        private static final int STRIDE = MESSAGES / (CUTS + 1);

        private final String first;
        private final String second;
        private int made;

        Cuts(final String first, final String second) {
            this.first = first;
            this.second = second;
        }

        @Override
        public void accept(final int sent) {
            if (sent > 0 && sent % STRIDE == 0 && made < CUTS) {
                DisniWorld.port(made % 2 == 0 ? second : first, true);
                DisniWorld.port(made % 2 == 0 ? first : second, false);
                made++;
            } else if (sent == MESSAGES - 1) {
                DisniWorld.port(first, true);
                DisniWorld.port(second, true);
            }
        }
    }

    /** DaRPC's classes as they are on Central, which are made of DiSNI. */
    @ParameterizedTest
    @CsvSource({"soft0, soft2, soft0", "bond2, bond3, soft4"})
    void remoteProceduresAreCalled(final String server, final String client, final String listensOn) throws Exception {
        final Pair pair = run(
                DisniWorld.program(2, server),
                DisniWorld.program(2, client),
                listensOn,
                1031,
                (program, address, listening) -> program.call("RpcProgram", "serve", address, listening),
                (program, address) -> program.call("RpcProgram", "ask", address, 200));
        assertThat(pair).isEqualTo(new Pair(200, 200));
    }

    /** DiSNI's own endpoints wait for ever then; who calls verbs sees the event. Channels go first, as with DiSNI. */
    @ParameterizedTest
    @CsvSource({"soft2, soft0, soft0", "bond3, bond2, soft4"})
    void aClientThatNobodyListensToIsRejectedAndTakesAllDown(
            final String device, final String peer, final String address) throws Exception {
        final InetSocketAddress nobody = new InetSocketAddress(DisniWorld.addressOf(address), 1099);
        // The peer's device is open: a program has run on it.
        assertThat(DisniWorld.program(2, peer).call("VerbsProgram", "overrun", nobody))
                .asString()
                .startsWith("10 taken");
        final int[] answers = (int[]) DisniWorld.program(2, device).call("VerbsProgram", "knock", nobody);
        assertThat(answers).containsExactly(CmEventType.REJECTED.code(), 0, Errno.EBUSY, 0, 0, 0, 0);
    }

    @Test
    void whatIsRefusedIsSaid() throws Exception {
        final InetSocketAddress nobody = new InetSocketAddress(DisniWorld.addressOf("soft0"), 1099);
        assertThat(DisniWorld.program(2, "soft2").call("VerbsProgram", "overrun", nobody))
                .asString()
                .matches("10 taken, 0 polled; postRecv on qp 0x[0-9a-f]+ failed [(]ENOMEM[)]: the requests before the"
                        + " one that was refused are posted; Trying to poll closed CQ.");
    }
}
