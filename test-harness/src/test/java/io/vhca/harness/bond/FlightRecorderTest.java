package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.core.FailoverReport;
import io.vhca.bond.core.MemberStatus;
import io.vhca.ras.jfr.FlightRecorder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a recording of the JVM holds after links died and an operator was at work; on virtual time. */
class FlightRecorderTest {
    private static final long MS = BondPair.MS;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private List<RecordedEvent> events = List.of();
    private List<FailoverReport> reports = List.of();
    private int datagramQp;

    @BeforeEach
    void record() throws IOException {
        final Path file = directory.resolve("bond.jfr");
        try (Recording recording = new Recording();
                BondPair pair = new BondPair(config -> config)) {
            pair.left.bond.admin().observe(new FlightRecorder("bond0"));
            pair.right.bond.admin().observe(new FlightRecorder("bond0"));
            recording.start();
            final DatagramEnd datagrams = new DatagramEnd(pair.left.bond);
            datagramQp = datagrams.qp.qpNum();
            pair.left.ports[0].up(false);
            pair.left.send();
            assertThat(pair.runUntil(() -> pair.right.received == 1, 2_000 * MS)).isTrue();
            pair.left.ports[0].up(true);
            pair.runFor(500 * MS);
            pair.left.bond.admin().remove("left1");
            assertThat(pair.runUntil(
                            () -> pair.left.bond.admin().members().stream()
                                    .map(MemberStatus::name)
                                    .noneMatch("left1"::equals),
                            5_000 * MS))
                    .isTrue();
            pair.left.bond.admin().add("left1");
            pair.runFor(100 * MS);
            reports = pair.left.failovers();
            datagrams.close();
            recording.stop();
            recording.dump(file);
        }
        // A file is not in the order of time.
        events = RecordingFile.readAllEvents(file).stream()
                .sorted(Comparator.comparing(RecordedEvent::getStartTime))
                .toList();
        Files.delete(file);
    }

    private List<RecordedEvent> of(final String type) {
        return events.stream()
                .filter(event -> event.getEventType().getName().equals("io.vhca." + type))
                .toList();
    }

    @Test
    void aFailoverWithItsSplit() {
        assertThat(reports).hasSizeGreaterThanOrEqualTo(2);
        final FailoverReport first = reports.getFirst();
        final RecordedEvent event = of("Failover").stream()
                .filter(one -> one.getString("from").equals(first.fromPath())
                        && one.getInt("qpNum") == first.qpNum()
                        && one.getString("reason").equals("PORT_ERR"))
                .findFirst()
                .orElseThrow();
        assertThat(event.getString("bond")).isEqualTo("bond0");
        assertThat(event.getString("to")).isEqualTo(first.toPath()).startsWith("left1 -> ");
        assertThat(event.getDuration("fence")).isEqualTo(Duration.ofNanos(first.fenceNs()));
        assertThat(event.getDuration("connect")).isEqualTo(Duration.ofNanos(first.connectNs())).isPositive();
        assertThat(event.getDuration("replay")).isEqualTo(Duration.ofNanos(first.replayNs()));
        assertThat(event.getDuration("total"))
                .isEqualTo(Duration.ofNanos(first.fenceNs() + first.connectNs() + first.replayNs()));
        assertThat(event.getLong("replayed")).isEqualTo(first.replayed());
        assertThat(event.getString("error")).isEmpty();
        assertThat(of("Failover")).hasSize(reports.size() + rightFailovers());
    }

    /** Both ends are in this JVM; the other one's are told by their paths. */
    private int rightFailovers() {
        return (int) of("Failover").stream()
                .filter(event -> event.getString("from").startsWith("right"))
                .count();
    }

    @Test
    void membersAndTheActiveOne() {
        assertThat(of("MemberState").stream()
                        .filter(event -> event.getString("member").startsWith("left"))
                        .map(event -> event.getString("member") + " " + event.getString("change") + " "
                                + event.getString("reason") + " " + event.getLong("failures")))
                .containsExactly(
                        "left0 DOWN PORT_ERR 1",
                        "left0 UP NONE 1",
                        "left1 DRAINED NONE 0",
                        "left1 LEAVING NONE 0",
                        "left1 REMOVED NONE 0",
                        "left1 ADDED NONE 0",
                        "left1 UP NONE 0");
        assertThat(of("ActiveMember").stream()
                        .map(event -> event.getString("from") + " " + event.getString("to")))
                .containsExactly("left0 left1", "left1 left0");
    }

    @Test
    void movesOfDatagrams() {
        assertThat(of("DatagramMove").stream()
                        .filter(event -> event.getInt("qpNum") == datagramQp)
                        .map(event -> event.getString("from") + " -> " + event.getString("to")))
                .containsExactly(" -> left0", "left0 -> left1", "left1 -> left0");
    }

    @Test
    void transitionsAndNegotiations() {
        // The application's queue pair was connected by the left side, and before the bond's own ones.
        final int qpNum = reports.getFirst().qpNum();
        final List<RecordedEvent> transitions = of("RecoveryState").stream()
                .filter(event -> event.getInt("qpNum") == qpNum && event.getInt("side") == 0)
                .toList();
        assertThat(transitions.stream().map(event -> event.getString("to")).limit(5))
                .containsExactly("FENCING", "DRAINING", "CONNECTING", "REPLAYING", "CONNECTED");
        assertThat(transitions.getFirst().getString("reason")).isEqualTo("PORT_ERR");
        assertThat(of("Negotiation")).isNotEmpty().allSatisfy(event -> {
            assertThat(event.getLong("ownReceived")).isNotNegative();
            assertThat(event.getString("ledger")).startsWith("ledger ");
        });
    }

    @Test
    void eventsExplainThemselves() {
        for (final String type : List.of(
                "Failover", "MemberState", "ActiveMember", "RecoveryState", "Negotiation", "DatagramMove")) {
            final var about = of(type).getFirst().getEventType();
            assertThat(about.getLabel()).as(type).isNotBlank();
            assertThat(about.getDescription()).as(type).isNotBlank();
            assertThat(about.getCategoryNames()).containsExactly("vHCA", "Bond");
            assertThat(of(type).getFirst().getStackTrace()).as(type).isNull();
        }
    }

    /** The commands of docs/OPERATIONS.md, on this JVM. */
    @Test
    void theToolsOfTheJdkShowIt() throws IOException, InterruptedException {
        final String file = directory.resolve("tools.jfr").toString();
        final String pid = String.valueOf(ProcessHandle.current().pid());
        assertThat(tool("jcmd", pid, "JFR.start", "name=bond")).contains("Started recording");
        try (BondPair pair = new BondPair(config -> config)) {
            pair.left.bond.admin().observe(new FlightRecorder("bond0"));
            pair.left.ports[0].up(false);
            pair.left.send();
            assertThat(pair.runUntil(() -> pair.right.received == 1, 2_000 * MS)).isTrue();
            assertThat(tool("jcmd", pid, "JFR.dump", "name=bond", "filename=" + file)).contains("Dumped recording");
        } finally {
            tool("jcmd", pid, "JFR.stop", "name=bond");
        }
        assertThat(tool("jfr", "print", "--events", "io.vhca.Failover", file))
                .contains("io.vhca.Failover {", "reason = \"PORT_ERR\"", "bond = \"bond0\"")
                .containsPattern("connect = [0-9.]+ .?s");
        assertThat(tool("jfr", "summary", file)).contains("io.vhca.RecoveryState");
    }

    private static String tool(final String name, final String... args) throws IOException, InterruptedException {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", name).toString());
        command.addAll(List.of(args));
        final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }
}
