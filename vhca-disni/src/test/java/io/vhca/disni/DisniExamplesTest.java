package io.vhca.disni;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.disni.DisniWorld.Program;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The examples and benchmarks of DiSNI and DaRPC, as they are on Central: the class files that their authors made. */
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DisniExamplesTest {
    private static final String EXAMPLES = "com.ibm.disni.examples.";
    private static final String BENCHMARKS = "com.ibm.disni.benchmarks.";
    private static final int BASE_PORT = 3001;

    private static int nextPort = BASE_PORT;
    private final ByteArrayOutputStream said = new ByteArrayOutputStream();
    private final PrintStream before = System.out;

    @BeforeEach
    void listenToThem() {
        System.setOut(new PrintStream(said, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void listenNoMore() {
        System.setOut(before);
    }

    private String said() {
        return said.toString(StandardCharsets.UTF_8);
    }

    /** Runs a pair of DiSNI 1.x, on a port of its own, to the end of both. */
    private static void runToTheEnd(
            final String server, final String client, final String name, final String... options) throws Exception {
        final List<String> more = new ArrayList<>(List.of("-p", port()));
        more.addAll(Arrays.asList(options));
        assertThat(run(server, client, name, "soft0", more.toArray(String[]::new)).get())
                .isEqualTo("served");
    }

    /**
     * Runs main of both, the client once the server waits for it.
     *
     * @param server    device of the server
     * @param client    device of the client
     * @param listensOn the soft device whose address the server binds
     * @return the server, which may not be done yet
     */
    private static FutureTask<Object> run(
            final String server,
            final String client,
            final String name,
            final String listensOn,
            final String... options)
            throws Exception {
        final Program serving = DisniWorld.program(1, server);
        final Program asking = DisniWorld.program(1, client);
        final List<String> arguments = new ArrayList<>(List.of("-a", DisniWorld.addressOf(listensOn)));
        arguments.addAll(Arrays.asList(options));
        final FutureTask<Object> served = new FutureTask<>(() -> {
            serving.main(name + "Server", arguments);
            return "served";
        });
        final Thread thread = Thread.ofPlatform().daemon().name("server").start(served);
        while (!waits(thread) && !served.isDone()) {
            Thread.onSpinWait();
        }
        asking.main(name + "Client", arguments);
        return served;
    }

    /** It listens, and waits for a client: in DiSNI's accept, or for the first event. */
    private static boolean waits(final Thread server) {
        return Arrays.stream(server.getStackTrace())
                .map(frame -> frame.getClassName() + "." + frame.getMethodName())
                .anyMatch(frame -> frame.endsWith(".RdmaServerEndpoint.accept")
                        || frame.endsWith(".RdmaEventChannel.getCmEvent"));
    }

    private static String port() {
        return Integer.toString(nextPort++);
    }

    @ParameterizedTest
    @CsvSource({"soft0, soft2", "bond0, bond1"})
    void endpointsReadWhatTheServerHas(final String server, final String client) throws Exception {
        runToTheEnd(server, client, EXAMPLES + "Read");
        assertThat(said()).contains(
                "ReadClient::read memory from server: This is a RDMA/read on stag", "ReadServer::final message");
    }

    @ParameterizedTest
    @CsvSource({"soft0, soft2", "bond0, bond1"})
    void endpointsSendAndReceive(final String server, final String client) throws Exception {
        runToTheEnd(server, client, EXAMPLES + "SendRecv");
        assertThat(said()).contains(
                "Message from the client: Hello from the client", "Message from the server: Hello from the server");
    }

    @ParameterizedTest
    @CsvSource({"soft0, soft2", "bond0, bond1"})
    void verbsWithoutEndpoints(final String server, final String client) throws Exception {
        runToTheEnd(server, client, EXAMPLES + "Verbs");
        assertThat(said()).contains(
                "VerbsClient::read memory from server: This is a RDMA/read on stag", "VerbsServer::done");
    }

    @ParameterizedTest
    @CsvSource({"soft0, soft2", "bond0, bond1"})
    void theBenchmarkOfReads(final String server, final String client) throws Exception {
        runToTheEnd(server, client, BENCHMARKS + "Read", "-s", "3000", "-k", "50");
        assertThat(said()).contains("ReadClient, latency");
    }

    /**
     * As many as the client's pipeline takes: of more, it posts a receive too many where it sees an answer before its
     * own send is done, and waits until somebody fills it. The server does so always: a bond flushes what it waits for,
     * a device does not until it is gone. Its port is its own, whatever the option says.
     */
    @ParameterizedTest
    @CsvSource({"soft8, soft2, soft8", "bond1, bond0, soft2"})
    void theBenchmarkOfMessages(final String server, final String client, final String listensOn) throws Exception {
        final var served = run(server, client, BENCHMARKS + "SendRecv", listensOn, "-s", "64", "-k", "64");
        assertThat(said()).contains("iops");
        if (server.startsWith("soft")) {
            DisniWorld.kill(server);
        }
        assertThat(served.get()).isEqualTo("served");
    }

    /** The server never ends. The client ends its process, and leaves a file of its figures where it ran. */
    @ParameterizedTest
    @CsvSource({"soft6, soft6, soft0", "bond2, soft4, bond0"})
    void remoteProcedures(
            final String server, final String listensOn, final String client, @TempDir final Path scratch)
            throws Exception {
        final Program serving = DisniWorld.program(2, server);
        final List<String> address = List.of("-a", DisniWorld.addressOf(listensOn));
        final Thread thread = Thread.ofPlatform().daemon().name("server").start(() -> {
            try {
                serving.main("com.ibm.darpc.examples.server.DaRPCServer", address);
            } catch (final Exception e) {
                throw new IllegalStateException(e);
            }
        });
        while (!waits(thread) && thread.isAlive()) {
            Thread.onSpinWait();
        }
        final List<String> line = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
                "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
                "-Dvhca.soft=soft0=" + DisniWorld.addressElsewhere(3) + ",soft1=" + DisniWorld.addressElsewhere(4),
                "-Dvhca.bond=bond0: members=soft0,soft1",
                "-Dvhca.disni.device=" + client,
                "-cp", DisniWorld.remoteProcedures()));
        line.add("com.ibm.darpc.examples.client.DaRPCClient");
        line.addAll(address);
        line.addAll(List.of("-k", "100", "-n", "2", "-c", "2", "-m", "stream-take", "-b", "4"));
        final Process asking = new ProcessBuilder(line)
                .directory(scratch.toFile())
                .redirectErrorStream(true)
                .start();
        final String told = new String(asking.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(told).contains("ops 200", "throughput");
        assertThat(asking.waitFor()).isZero();
    }
}
