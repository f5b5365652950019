package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.QpState;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.WorkCompletion;
import io.vhca.api.WrOpcode;
import io.vhca.bond.BondContext;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.examples.RdmaConnection;
import io.vhca.examples.RdmaListener;
import io.vhca.harness.cli.StatusFiles;
import io.vhca.harness.cli.Tool;
import io.vhca.physical.soft.SoftDevice;
import io.vhca.ras.jfr.FlightRecorder;
import io.vhca.ras.dump.AutoDump;
import io.vhca.ras.dump.BondDump;
import io.vhca.ras.status.StatusPublisher;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A bond that dumps itself when something fails for good. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BondAutoDumpTest {
    @RegisterExtension
    private final StatusFiles files = new StatusFiles();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private final Tool tool = new Tool();
    private final SoftDevice first = SoftBonds.soft("auto-a", 183);
    private final SoftDevice second = SoftBonds.soft("auto-b", 184);
    private final SoftDevice third = SoftBonds.soft("auto-c", 185);
    private final SoftDevice fourth = SoftBonds.soft("auto-d", 186);

    private BondContext open(final String name, final SoftDevice one, final SoftDevice other) {
        return SoftBonds.open(
                SoftBonds.calm(BondConfig.builder(name))
                        .members(List.of(one.name(), other.name()))
                        .recoveryTimeoutNs(TimeUnit.SECONDS.toNanos(3))
                        .build(),
                one,
                other);
    }

    private Path file() {
        return files.directory().resolve("bond-q." + ProcessHandle.current().pid() + ".dump");
    }

    /** The dump, once all of it is there. */
    private String dump() {
        final Path file = file();
        while (!Files.exists(file) || tool.run("decode", file.toString()) != 0 || !tool.out().contains("\ntrace\n")) {
            Thread.yield();
        }
        return tool.out();
    }

    @Test
    void aQueuePairThatFailsLeavesADump() throws IOException {
        try (Recording recording = new Recording();
                BondContext client = open("bond-q", first, second);
                BondContext server = open("bond-r", third, fourth);
                RdmaListener listener = RdmaListener.listen(server, 0)) {
            recording.enable("io.vhca.Error");
            recording.start();
            client.admin().observe(new FlightRecorder("bond-q"));
            AutoDump.attach(client);
            client.admin().set(List.of("dump_on=failed"));
            try (RdmaConnection there = RdmaConnection.connect(client, listener.address());
                    RdmaConnection _ = listener.accept()) {
                there.awaitEstablished();
                first.setPortUp(false);
                second.setPortUp(false);
                assertThat(dump()).containsPattern("dump_on +failed\n").containsPattern("port state +DOWN\n")
                        .containsPattern("qp:0x1 epoch \\d+ +PORT_ERR.*failed with NO_PATH");
            }
            assertThat(errors(recording, "VHCA-0001")).isNotEmpty().first().satisfies(event -> {
                assertThat(event.getString("bond")).isEqualTo("bond-q");
                assertThat(event.getString("what")).startsWith("qp:0x1: ");
            });
        }
    }

    /** Of the recording, which ends. */
    private List<RecordedEvent> errors(final Recording recording, final String code) throws IOException {
        recording.stop();
        final Path file = directory.resolve("errors.jfr");
        recording.dump(file);
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals("io.vhca.Error")
                        && event.getString("code").equals(code))
                .toList();
    }

    /** It is no failure of the bond: the recording has it, as the error log, and nothing is dumped. */
    @Test
    void anErrorOfTheApplicationsOwnIsRecordedAndLeavesNoDump() throws IOException {
        try (Recording recording = new Recording();
                BondContext client = open("bond-q", first, second);
                BondContext server = open("bond-r", third, fourth);
                RdmaListener listener = RdmaListener.listen(server, 0)) {
            recording.enable("io.vhca.Error");
            recording.start();
            client.admin().observe(new FlightRecorder("bond-q"));
            AutoDump.attach(client);
            client.admin().set(List.of("dump_on=failed"));
            try (RdmaConnection there = RdmaConnection.connect(client, listener.address());
                    RdmaConnection _ = listener.accept();
                    Arena arena = Arena.ofConfined()) {
                there.awaitEstablished();
                final SendWorkRequest wr = SendWorkRequest.allocate(arena, 1);
                wr.opcode(WrOpcode.SEND).sendFlags(SendFlags.SIGNALED).sge(4096, 8, 0x7777);
                assertThat(there.qp().postSend(wr)).isOne();
                // Nobody else looks for it.
                final WorkCompletion wc = WorkCompletion.allocate(arena, 1);
                while (there.cq().poll(wc) == 0) {
                    Thread.yield();
                }
                assertThat(there.qp().state()).isEqualTo(QpState.ERR);
                assertThat(client.counters().get(Counter.FAILED)).isZero();
            }
            assertThat(errors(recording, "VHCA-0120")).singleElement().satisfies(event -> {
                assertThat(event.getString("bond")).isEqualTo("bond-q");
                assertThat(event.getString("what")).startsWith("qp:0x1: ").contains("LOC_PROT_ERR");
            });
        }
        assertThat(file()).doesNotExist();
    }

    @Test
    void aDeviceThatDiesLeavesADump() {
        try (BondContext client = open("bond-q", first, second)) {
            AutoDump.attach(client);
            client.admin().set(List.of("dump_on=fatal"));
            first.kill();
            assertThat(dump()).containsPattern("member auto-b\n  up +true\n");
        }
    }

    /** What the bond was when something failed is gone once it goes on: a later dump is another one. */
    @Test
    void aDumpThatIsAskedForLeavesThatOfTheFailure() throws IOException {
        try (BondContext client = open("bond-q", first, second)) {
            AutoDump.attach(client);
            StatusPublisher.attach(client, Map.of("dump", () -> BondDump.write(client, false)));
            files.await(status -> status.name().equals("bond-q"));
            client.admin().set(List.of("dump_on=fatal"));
            first.kill();
            final String ofFailure = dump();
            final Path asked = directory.resolve("asked");
            assertThat(tool.run("dump", "bond-q", "--to", asked.toString())).as(tool.all()).isZero();
            assertThat(file()).exists();
            assertThat(dump()).isEqualTo(ofFailure);
            assertThat(tool.run("decode", asked.toString())).isZero();
            assertThat(tool.out()).isNotEqualTo(ofFailure);
        }
    }
}
