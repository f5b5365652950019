package io.vhca.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.VerbsException;
import io.vhca.examples.RcPingPong;
import io.vhca.examples.UdPingPong;
import io.vhca.physical.soft.SoftConfig;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** What goes wrong with {@code vhca example} every day. */
class ExampleCommandTest {
    private static final int PID = (int) ProcessHandle.current().pid();
    private static final String HOST = "127." + (64 + (PID >> 8 & 63)) + "." + (PID & 255) + ".3";

    private final Tool tool = new Tool();

    /** Devices of this test's own; others of this JVM have theirs. */
    @RegisterExtension
    static final SystemProperty DEVICES = new SystemProperty(SoftConfig.PROPERTY, "soft0=" + HOST);

    @Test
    void whoIsNotThereIsOneSentence() {
        assertThat(tool.run("example", "exs-files", "-d", "soft0", "-f", "any", "-p", "9", HOST)).isEqualTo(1);
        assertThat(tool.err().lines()).singleElement().asString().startsWith("vhca example exs-files: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"rc_pingpong", "rping", "rdp_echo", "udp_echo", "exs-files --file any"})
    void aHostThatNobodyKnowsIsAWrongArgument(final String example) {
        final List<String> words = new ArrayList<>(List.of("example"));
        words.addAll(List.of(example.split(" ")));
        words.add("no host of that name");
        assertThat(tool.run(words.toArray(String[]::new))).isEqualTo(2);
        assertThat(tool.err()).startsWith("no host of that name is no address, and no host of that name is known");
    }

    @Test
    void whoIsNoPingPongIsOneSentence() throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            final FutureTask<Boolean> server = new FutureTask<>(() -> talkOfSomethingElse(listener));
            Thread.ofPlatform().daemon().start(server);
            final String port = String.valueOf(listener.getLocalPort());
            final String host = listener.getInetAddress().getHostAddress();
            assertThat(tool.run("example", "rc_pingpong", "-d", "soft0", "-p", port, host)).isEqualTo(1);
            assertThat(tool.err().lines()).singleElement().asString()
                    .contains("vhca example rc_pingpong: ", "EPROTO", "no LID:QPN:PSN:GID");
            assertThat(server.get()).isTrue();
        }
    }

    private static boolean talkOfSomethingElse(final ServerSocket listener) throws IOException {
        try (Socket client = listener.accept(); OutputStream out = client.getOutputStream()) {
            out.write("x".repeat(100).getBytes(StandardCharsets.US_ASCII));
            out.flush();
            client.getInputStream().readAllBytes();
        }
        return true;
    }

    /** Else the device cannot be closed, which says so too. */
    @Test
    void aDepthThatTheDeviceHasNotIsItsErrorAlone() throws IOException {
        try (ServerSocket listener = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            final String port = String.valueOf(listener.getLocalPort());
            final String host = listener.getInetAddress().getHostAddress();
            for (final RcPingPong program : List.of(new RcPingPong(), new UdPingPong())) {
                final List<Exception> failures = new ArrayList<>();
                new CommandLine(program)
                        .setExecutionExceptionHandler((failure, commandLine, parsed) -> {
                            failures.add(failure);
                            return 1;
                        })
                        .execute("-d", "soft0", "-e", "-p", port, "-r", "1000000000", host);
                assertThat(failures).singleElement().satisfies(failure -> assertThat(failure)
                        .isInstanceOf(VerbsException.class)
                        .hasMessageContaining("EINVAL")
                        .hasNoSuppressedExceptions());
            }
        }
    }
}
