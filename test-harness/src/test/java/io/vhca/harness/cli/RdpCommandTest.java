package io.vhca.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Context;
import io.vhca.api.Devices;
import io.vhca.physical.soft.SoftConfig;
import io.vhca.rdp.RdpDriver;
import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.access.AccessControl;
import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.common.SessionEnd;
import io.vhca.rdp.engine.PeerState;
import io.vhca.rdp.shared.SharedDriver;
import io.vhca.rdp.shared.SharedServer;
import io.vhca.rdp.status.ClientStatus;
import io.vhca.rdp.status.DriverStatus;
import io.vhca.rdp.status.NodeStatus;
import io.vhca.rdp.status.SocketStatus;
import io.vhca.rdp.status.StatusFiles;
import io.vhca.tool.metrics.MetricsOutput;
import io.vhca.tool.rdp.DriverText;
import io.vhca.tool.rdp.RdpMetrics;
import io.vhca.tool.rdp.StressPlan;
import io.vhca.tool.rdp.StressSockets;
import java.io.IOException;
import java.net.InetAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code vhca rdp} and the example: what they print, and what they say to wrong options. */
@Timeout(300)
class RdpCommandTest {
    private static final String HOST = OwnAddress.of(21).getHostAddress();

    /** A device of this test's own; others of this JVM, and of this host, have theirs. */
    @RegisterExtension
    static final SystemProperty DEVICES = new SystemProperty(SoftConfig.PROPERTY, "soft0=" + HOST);

    private final Tool tool = new Tool();

    @Test
    void configShowsWhatWasGiven() {
        assertThat(tool.run("rdp", "config", "-o", "Heartbeat=50", "-o", "SizeClasses=1024,4096"))
                .as(tool.all())
                .isZero();
        assertThat(tool.out())
                .containsPattern("Heartbeat +50 ")
                .containsPattern("MinRecovery +100 ")
                .containsPattern("SizeClasses +1024,4096 ");
    }

    @Test
    void interfacesNamesSoftDevices() {
        assertThat(tool.run("rdp", "interfaces")).as(tool.all()).isZero();
        assertThat(tool.out()).containsPattern("soft0 +" + Pattern.quote(HOST));
    }

    @Test
    void pingComesBack() {
        assertThat(tool.run("rdp", "ping", "-c", "3", "--size", "2000", "--stats")).as(tool.all()).isZero();
        assertThat(tool.out()).contains("2000 bytes from ", "seq 2", "3 sent, 3 came back")
                .containsPattern("tx_packets +6");
    }

    @Test
    void stressPrintsTheColumnsOfRdsStress() {
        assertThat(tool.run("rdp", "stress", "--time", "1", "--tasks", "2", "--depth", "4")).as(tool.all()).isZero();
        assertThat(tool.out())
                .contains("tsks   tx/s   rx/s  tx+rx K/s    mbi K/s    mbo K/s tx us/c   rtt us cpu % least/most")
                .contains("(average)", ", share of their sends that was taken ")
                .containsPattern("least/most of 2 sockets: served [01]\\.\\d\\d,");
    }

    @Test
    void stressOfSeveralProcessesIsOne(@TempDir final Path directory) {
        System.setProperty("vhca.status.dir", directory.toString());
        try (Context context = Devices.open("soft0");
                RdpDriver driver = RdpDriver.open(context);
                SharedServer server = SharedServer.open(driver);
                SharedDriver passive = SharedDriver.attach("soft0");
                StressSockets serving =
                        new StressSockets(passive, 2_000, new StressPlan(1, 5, 1, 20, 20, 4_000, 1), null)) {
            assertThat(server.path()).exists();
            serving.begin();
            assertThat(tool.run("rdp", "stress", driver.address().getHostAddress(), "--shared", "--processes", "2",
                            "--sockets", "5", "--time", "1", "--depth", "2"))
                    .as(tool.all())
                    .isZero();
            assertThat(tool.out()).contains("(average)", "least/most of 5 sockets: served ");
            assertThat(driver.counters().get(Counter.CLIENTS_ATTACHED)).isEqualTo(3);
            assertThat(driver.counters().get(Counter.CLIENTS_LOST)).isZero();
            assertThat(tool.run("rdp", "stress", HOST, "--shared", "--processes", "2", "-T", "1", "-p", "9000"))
                    .isEqualTo(1);
            // Each process has a port of its own there; the first that fails ends the other one.
            assertThat(tool.err()).containsPattern(
                    "vhca rdp stress: a send to /" + Pattern.quote(HOST) + ":900[01] was UNREACHABLE\n$");
        } finally {
            System.clearProperty("vhca.status.dir");
        }
    }

    @Test
    void driversOfOtherProcessesAreShown() {
        final DriverStatus driver = new DriverStatus(
                "bond0", 77, InetAddress.ofLiteral("10.0.0.1"), Map.of(Counter.TX_PACKETS, 7L, Counter.RX_PENDING, 2L),
                List.of(new NodeStatus(
                        InetAddress.ofLiteral("10.0.0.2"), PeerState.UP, true, 3, SessionEnd.SILENT)),
                List.of(new SocketStatus(4000, 1, 2, 3, true, 4, 5)), List.of(new ClientStatus(88, 1_000, 3, 12_345)));
        assertThat(DriverText.counters(List.of(driver)))
                .contains("driver of bond0 at 10.0.0.1, process 77")
                .containsPattern("tx_packets +7");
        assertThat(DriverText.nodesAndSockets(List.of(driver)))
                .containsPattern("10\\.0\\.0\\.2 +up +fail +3 +it said nothing for NodeTimeout")
                .containsPattern("4000 +1 +2 +3 +stalled +4 +5")
                .containsPattern("88 +1000 +3 +12345");
        assertThat(MetricsOutput.text(RdpMetrics.of(List.of(driver))))
                .contains("vhca_rdp_tx_packets_total{device=\"bond0\",pid=\"77\"} 7.0\n")
                .contains("# TYPE vhca_rdp_rx_pending gauge\nvhca_rdp_rx_pending{device=\"bond0\",pid=\"77\"} 2.0\n");
    }

    @Test
    void statsAndInfoSayWhereThereIsNoDriver(@TempDir final Path directory) {
        System.setProperty("vhca.status.dir", directory.toString());
        try {
            assertThat(tool.run("rdp", "stats")).as(tool.all()).isZero();
            assertThat(tool.out()).contains("no driver is open in a process of this user");
            assertThat(tool.run("rdp", "info")).isZero();
            assertThat(tool.out()).contains("no driver is open");
            assertThat(tool.run("rdp", "config", "Heartbeat=5")).isEqualTo(2);
            assertThat(tool.err()).contains("no driver of soft0 is open in a process of this user");
        } finally {
            System.clearProperty("vhca.status.dir");
        }
    }

    /** Each of its processes says what is missing, and it itself says that they have ended. */
    @Test
    void aStressWithoutTheSharedDriverIsNoDefect(@TempDir final Path directory) {
        System.setProperty("vhca.status.dir", directory.toString());
        try {
            assertThat(tool.run("rdp", "stress", HOST, "--shared", "--processes", "2")).isEqualTo(1);
            assertThat(tool.err()).containsPattern("^vhca rdp stress: process \\d+ of this stress has ended\n$");
        } finally {
            System.clearProperty("vhca.status.dir");
        }
    }

    @Test
    void aSharedDriverServesUntilItIsEnded(@TempDir final Path directory) throws Exception {
        System.setProperty("vhca.status.dir", directory.toString());
        final Tool serving = new Tool();
        final int[] code = {-1};
        try {
            assertThat(tool.run("rdp", "ping", "--shared")).isNotZero();
            assertThat(tool.err()).contains("(ENOTCONN)", "start `vhca rdp driver --device soft0`");
            final Thread driver = Thread.ofPlatform().start(() -> code[0] = serving.run("rdp", "driver"));
            while (!serving.out().contains("processes attach at " + directory.resolve("soft0.rdpd"))) {
                assertThat(driver.isAlive()).as(serving.all()).isTrue();
            }
            assertThat(tool.run("rdp", "driver", "--device", "soft0")).as(tool.all()).isEqualTo(3);
            assertThat(tool.run("rdp", "ping", "--shared", "-c", "3")).as(tool.all()).isZero();
            assertThat(tool.out()).contains("3 sent, 3 came back");
            assertThat(tool.run("rdp", "stress", "--shared", "-T", "1", "-t", "2", "-D", "4")).as(tool.all()).isZero();
            assertThat(tool.run("rdp", "ping", "--shared", "-o", "Heartbeat=5")).isEqualTo(2);
            assertThat(tool.err()).contains("-o is for a driver of one's own");
            assertThat(tool.run("rdp", "ping", "--shared", "--stats")).isEqualTo(2);
            try (SharedDriver client = SharedDriver.attach("soft0"); RdpSocket socket = client.bind(4000)) {
                assertThat(socket.pending()).isZero();
                while (StatusFiles.read(Assertions::fail).getFirst().clients().isEmpty()) {
                    Thread.onSpinWait();
                }
                assertThat(tool.run("rdp", "info")).as(tool.all()).isZero();
                assertThat(tool.out())
                        .containsPattern("client +user +sockets +calls")
                        .contains("" + ProcessHandle.current().pid());
            }
            driver.interrupt();
            driver.join();
            assertThat(code[0]).as(serving.all()).isZero();
            assertThat(directory.resolve("soft0.rdpd")).doesNotExist();
            assertThat(System.getProperty("vhca.goodbye")).isNull();
        } finally {
            System.clearProperty("vhca.status.dir");
        }
    }

    @Test
    void anOpenDriverChangesAndIsMeasured(@TempDir final Path directory) throws IOException {
        System.setProperty("vhca.status.dir", directory.toString());
        try (Context context = Devices.open("soft0"); RdpDriver driver = RdpDriver.open(context)) {
            while (StatusFiles.read(Assertions::fail).isEmpty()) {
                Thread.onSpinWait();
            }
            assertThat(tool.run("rdp", "config", "Heartbeat=700", "InPlaceSize=9")).as(tool.all()).isZero();
            assertThat(tool.out()).contains(": changed Heartbeat=700", ": changed InPlaceSize=9");
            assertThat(driver.config().inPlaceBytes()).isEqualTo(9);
            assertThat(tool.run("rdp", "config", "SizeClasses=512")).isEqualTo(1);
            assertThat(tool.out()).contains("refused option SizeClasses does not change while a driver is open");
            assertThat(tool.run("rdp", "config", "--pid", "1", "Heartbeat=5")).isEqualTo(2);
            assertThat(tool.err()).contains("no driver of soft0 is open in process 1");
            assertThat(tool.run("rdp", "stats", "--prometheus")).isZero();
            assertThat(tool.out()).contains("# TYPE vhca_rdp_nodes_dead_total counter");
            assertThat(tool.run("metrics")).isZero();
            assertThat(tool.out()).contains("vhca_rdp_sockets{device=\"soft0\"");
            Files.delete(directory.resolve("soft0." + ProcessHandle.current().pid() + ".rdpctl"));
            assertThat(tool.run("rdp", "config", "Heartbeat=600")).isEqualTo(1);
            assertThat(tool.out()).contains(": cannot be told Heartbeat=600: ").hasLineCount(1);
            assertThat(tool.err()).isEmpty();
        } finally {
            System.clearProperty("vhca.status.dir");
        }
    }

    /** A driver whose process is stopped, which lives and answers nobody; those behind it are told all the same. */
    @Test
    void aDriverThatDoesNotAnswerKeepsNoOtherFromBeingTold(@TempDir final Path directory) throws IOException {
        System.setProperty("vhca.status.dir", directory.toString());
        final DriverStatus stopped = new DriverStatus(
                "soft0", 1, InetAddress.ofLiteral("10.0.0.1"), Map.of(), List.of(), List.of(), List.of());
        Files.writeString(directory.resolve("soft0.1.rdp"), stopped.format());
        try (ServerSocketChannel deaf = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
                Context context = Devices.open("soft0");
                RdpDriver driver = RdpDriver.open(context)) {
            deaf.bind(UnixDomainSocketAddress.of(directory.resolve("soft0.1.rdpctl")));
            while (StatusFiles.read(Assertions::fail).size() < 2) {
                Thread.onSpinWait();
            }
            assertThat(tool.run("rdp", "config", "--answer-within", "5", "InPlaceSize=9", "Heartbeat=500"))
                    .isEqualTo(1);
            assertThat(tool.out().lines()).satisfiesExactly(
                    line -> assertThat(line)
                            .contains("process 1: cannot be told InPlaceSize=9 Heartbeat=500: ", "within 5 s"),
                    line -> assertThat(line).endsWith(": changed InPlaceSize=9"),
                    line -> assertThat(line).endsWith(": changed Heartbeat=500"));
            assertThat(driver.config().inPlaceBytes()).isEqualTo(9);
        } finally {
            System.clearProperty("vhca.status.dir");
        }
    }

    @Test
    void whoMayHaveSocketsIsSaid(@TempDir final Path directory) throws IOException {
        final Path file = directory.resolve("access");
        System.setProperty(AccessControl.PROPERTY, file.toString());
        try {
            assertThat(tool.run("rdp", "access")).as(tool.all()).isZero();
            assertThat(tool.out()).contains("everybody may create sockets: there is no " + file);
            Files.writeString(file, "user 54321\nuser\n");
            assertThat(tool.run("rdp", "access")).isNotZero();
            assertThat(tool.out()).contains("wrong, and passed over: line 2, \"user\": it may be user NAME");
            assertThat(tool.err()).contains("names neither that user");
            assertThat(tool.run("rdp", "ping")).isNotZero();
            assertThat(tool.err()).contains("(EPERM)");
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw----"));
            assertThat(tool.run("rdp", "access")).isEqualTo(1);
            assertThat(tool.err().lines()).containsExactly("vhca rdp access: " + file
                    + " may be written by others; make it root's, and writable by nobody else");
        } finally {
            System.clearProperty(AccessControl.PROPERTY);
        }
    }

    @Test
    void theExampleEchoes() {
        assertThat(tool.run("example", "rdp_echo", "-n", "20", "-S", "9000")).as(tool.all()).isZero();
        assertThat(tool.out()).contains("20 datagrams of 9000 bytes came back in order");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "rdp stress -o Hello=1          | unknown option Hello; there are SizeClasses",
        "rdp ping -o Port=99999         | option Port = 99999: it may be 1 .. 65535",
        "rdp ping --server 10.0.0.1     | --server and HOST exclude each other",
        "rdp config --answer-within 0   | --answer-within must be 1 or more",
        "rdp ping --count 0             | --count must be at least 1",
        "rdp ping --size 10             | --size must be 20 .. 262144",
        "rdp ping no.host.invalid       | no.host.invalid is no address, and no host of that name is known",
        "rdp stress no.host.invalid     | no.host.invalid is no address, and no host of that name is known",
        "rdp stress no.host.invalid --shared --processes 2                 | no.host.invalid is no address",
        "rdp stress 127.0.0.1 --shared --processes 2 -o Heartbeat=5        | -o is for a driver of one's own",
        "rdp stress 127.0.0.1 --shared --processes 2 --stats               | --stats is for a driver of one's own",
        "rdp stress --tasks 0           | --tasks must be 1 .. 1024",
        "rdp stress -q 300000           | --request-bytes and --ack-bytes must be 20 .. 262144",
        "rdp stress -p 65530 -t 10      | the ports of all sockets must be 1 .. 65535",
        "rdp stress --processes 2       | --processes must be at least 1, and more need --shared and HOST",
        "rdp stress -t 4 --sockets 3    | --sockets must be at least --processes times --tasks",
        "example rdp_echo -S 2          | --size must be 4 .. 65536"
    })
    void wrongOptionsAreNamed(final String words, final String message) {
        assertThat(tool.run(words.split(" "))).as(tool.all()).isEqualTo(2);
        assertThat(tool.err()).contains(message);
    }
}
