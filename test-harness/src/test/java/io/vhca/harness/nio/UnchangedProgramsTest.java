package io.vhca.harness.nio;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.examples.UdpEcho;
import io.vhca.harness.cli.OwnAddress;
import io.vhca.harness.drill.fabric.ChildProcess;
import io.vhca.physical.soft.SoftConfig;
import io.vhca.rdp.nio.RdpSelectorProvider;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs that know only UDP, in processes that are started with the selector provider of reliable datagrams. */
@Timeout(value = 400, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UnchangedProgramsTest {
    private static final int PID = (int) ProcessHandle.current().pid();
    private static final String NET = "127." + (192 + (PID >> 8 & 31)) + "." + (PID & 255) + ".";
    private static final String PLAIN = OwnAddress.apart(1).getHostAddress();
    private static final String PROVIDER =
            "java.nio.channels.spi.SelectorProvider=" + RdpSelectorProvider.class.getName();

    private static Process start(
            final String soft, final String bonds, final Class<?> main, final List<String> args)
            throws Exception {
        final List<String> properties =
                List.of(
                        PROVIDER, SoftConfig.PROPERTY + "=" + soft, "vhca.bond=" + bonds,
                        "vhca.rdp.devices=" + devices(bonds));
        return new ProcessBuilder(ChildProcess.command(properties, main, args))
                .redirectErrorStream(true)
                .start();
    }

    private static String devices(final String bonds) {
        return bonds.replaceAll(":[^;]*;? ?", "/24,").replaceAll(",$", "");
    }

    /** Ten cuts, every datagram once and in order; plain UDP beside it in the same process. */
    @ParameterizedTest
    @ValueSource(strings = {"netty", "mina"})
    void everyDatagramComesBackOnceAndInOrder(final String program) throws Exception {
        final Process child = start(
                "soft0=" + NET + "11,soft1=" + NET + "12,soft2=" + NET + "13,soft3=" + NET + "14",
                "bond0: members=soft0,soft1; bond1: members=soft2,soft3",
                EchoThroughCuts.class,
                List.of(program, NET + "13", NET + "11", PLAIN, PLAIN));
        try {
            final String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(output.strip().lines().toList().getLast())
                    .as(output)
                    .isEqualTo("3300 in order of 3300, 10 cuts, true, 500 over UDP, 0 of them reliable");
            assertThat(child.waitFor(30, TimeUnit.SECONDS)).isTrue();
        } finally {
            child.destroyForcibly();
        }
    }

    /** The example, a process an end; the server is bound to all addresses, and its client to none. */
    @Test
    void theExampleRunsOverABond() throws Exception {
        final Process server = start(
                "soft0=" + NET + "21,soft1=" + NET + "22", "bond0: members=soft0,soft1", UdpEcho.class,
                List.of("--server", "-p", "4009"));
        try {
            assertThat(server.inputReader().readLine()).startsWith("echoing at ");
            final Process client = start(
                    "soft0=" + NET + "23,soft1=" + NET + "24", "bond0: members=soft0,soft1", UdpEcho.class,
                    List.of(NET + "21", "-p", "4009", "-n", "300", "-S", "20000"));
            assertThat(new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .contains("300 sent, 300 came back in order");
        } finally {
            server.destroyForcibly();
        }
    }
}
