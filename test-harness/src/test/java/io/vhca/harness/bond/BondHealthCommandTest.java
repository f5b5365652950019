package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Context;
import io.vhca.bond.BondContext;
import io.vhca.bond.BondDevice;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.config.HealthReporter;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.harness.cli.StatusFiles;
import io.vhca.harness.cli.Tool;
import io.vhca.physical.soft.SoftConfig;
import io.vhca.physical.soft.SoftDevice;
import io.vhca.ras.health.HealthDump;
import io.vhca.ras.health.HealthReporters;
import io.vhca.ras.status.StatusPublisher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What an operator, and the option health, have reporters do. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BondHealthCommandTest {
    @RegisterExtension
    private final StatusFiles files = new StatusFiles();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private final Tool tool = new Tool();
    private final SoftDevice first = SoftBonds.soft("health-a", 232);
    private final SoftDevice second = SoftBonds.soft("health-b", 233);

    private BondContext open() {
        final BondContext bond = SoftBonds.open("bond-h", first, second);
        final HealthReporters health = HealthReporters.attach(bond);
        StatusPublisher.attach(bond, health.commands(), health.counters());
        return bond;
    }

    private void awaitCounter(final String name, final long atLeast) throws IOException {
        files.await(status -> status.counters().getOrDefault(name, 0L) >= atLeast);
    }

    @Test
    void eachReporterWritesADumpAndSaysWhen() throws IOException {
        try (BondContext _ = open()) {
            files.await(status -> status.name().equals("bond-h"));
            for (final HealthReporter one : HealthReporter.values()) {
                assertThat(tool.run("health", "dump", "bond-h", one.text())).as(tool.all()).isZero();
                assertThat(tool.out()).startsWith("health\n").containsPattern("reporter +" + one.text() + "\n");
                awaitCounter("health_" + one.text() + "_dumped_ms", 1);
            }
            assertThat(tool.run("health", "dump", "bond-h", "member")).isZero();
            assertThat(tool.out()).contains("member health-a\n", "member health-b\n");
            assertThat(tool.run("health", "dump", "bond-h", "memory")).isZero();
            assertThat(tool.out()).containsPattern("markers\n  all whole +true\n");
            assertThat(tool.run("health", "show", "bond-h")).isZero();
            assertThat(tool.out()).doesNotContain("never").containsPattern("path +healthy +0 +0 +20\\d\\d-");
            assertThat(tool.run("stat", "bond-h")).isZero();
            assertThat(tool.out()).doesNotContain("health_");
        }
    }

    @Test
    void aDumpThatCannotBeWrittenIsSaid() throws IOException {
        try (BondContext _ = open()) {
            files.await(status -> status.name().equals("bond-h"));
            Files.createDirectory(files.directory().resolve(
                    HealthDump.name("bond-h", ProcessHandle.current().pid(), HealthReporter.PATH)));
            assertThat(tool.run("health", "dump", "bond-h", "path")).isOne();
            assertThat(tool.err()).contains("the dump was not written, and the bond goes on");
        }
    }

    @Test
    void whatTheBondCannotRecoverIsRefusedWithWhatToDo() throws IOException {
        try (BondContext bond = open()) {
            files.await(status -> status.name().equals("bond-h"));
            assertThat(tool.run("health", "recover", "bond-h", "queue_pair")).isOne();
            assertThat(tool.err()).contains("queue_pair is not recovered", "closes it and connects again");
            assertThat(tool.run("health", "recover", "bond-h", "thread")).isOne();
            assertThat(tool.err()).contains("thread is not recovered", "vhca threads");
            assertThat(tool.run("health", "recover", "bond-h", "path")).as(tool.all()).isZero();
            assertThat(tool.run("health", "recover", "bond-h", "member")).as(tool.all()).isZero();
            assertThat(tool.run("health", "recover", "bond-h", "paths")).isEqualTo(2);
            assertThat(tool.run("health", "recover", "bond-i", "path")).isEqualTo(3);

            bond.counters().add(Counter.JOURNAL_LOST, 3);
            awaitCounter("journal_lost", 3);
            assertThat(tool.run("health", "diagnose", "bond-h")).isOne();
            assertThat(tool.out()).contains("bond-h journal: 3 events are lost");
            assertThat(tool.run("health", "recover", "bond-h", "journal")).isZero();
            awaitCounter("health_journal_healed", 3);
            assertThat(tool.run("health", "diagnose", "bond-h")).isZero();
            assertThat(tool.out()).isEmpty();
        }
    }

    @Test
    void whatAMemberFailedByIsOverOnceItIsRemoved() throws IOException {
        try (BondContext bond = open()) {
            first.setPortUp(false);
            awaitCounter("health_member_errors", 1);
            bond.admin().remove("health-a");
            awaitCounter("health_member_recoveries", 1);
        }
    }

    /** What fits is kept until it can: nothing is lost yet. */
    @Test
    void aJournalThatCannotBeWrittenNowIsFoundFaultWith() throws IOException {
        final Path taken = Files.createFile(directory.resolve("taken"));
        System.setProperty(
                SoftConfig.PROPERTY,
                "hj0=" + SoftBonds.own(234).getHostAddress() + ",hj1=" + SoftBonds.own(235).getHostAddress());
        final BondConfig config = BondConfig.builder("bond-h")
                .members(List.of("hj0", "hj1"))
                .journal(taken.toString())
                .build();
        try (Context _ = new BondDevice(config).open()) {
            awaitCounter("health_journal_failing", 1);
            assertThat(tool.run("health", "diagnose", "bond-h")).isOne();
            assertThat(tool.out()).contains("bond-h journal: it cannot be written now: vhca errors says why");
            assertThat(tool.run("health", "dump", "bond-h", "journal")).as(tool.all()).isZero();
            assertThat(tool.out()).containsPattern("cannot be written +true").containsPattern("journal_lost +0");
            Files.delete(taken);
            assertThat(tool.run("health", "recover", "bond-h", "journal")).as(tool.all()).isZero();
            files.await(status -> Long.valueOf(0).equals(status.counters().get("health_journal_failing")));
            assertThat(tool.run("health", "diagnose", "bond-h")).as(tool.all()).isZero();
        } finally {
            System.clearProperty(SoftConfig.PROPERTY);
        }
    }

    @Test
    void settingsAreChangedOneByOneAndWrongOnesRefused() throws IOException {
        try (BondContext _ = open()) {
            files.await(status -> status.name().equals("bond-h"));
            assertThat(tool.run("health", "set", "bond-h", "path", "grace_period=5000", "auto_dump=true"))
                    .as(tool.all())
                    .isZero();
            assertThat(tool.run("health", "set", "bond-h", "memory", "auto_recover=true")).isZero();
            files.await(status -> status.options()
                    .contains("health = path.grace_period=5000,path.auto_dump=true,memory.auto_recover=true"));
            assertThat(tool.run("health", "show", "bond-h")).isZero();
            assertThat(tool.out()).containsPattern("path +healthy +0 +0 +never +5000 ms +false +true\n")
                    .containsPattern("memory +healthy +0 +0 +never +60000 ms +true +false\n")
                    .containsPattern("journal +healthy +0 +0 +never +60000 ms +false +false\n");
            assertThat(tool.run("health", "set", "bond-h", "thread", "auto_recover=true")).isOne();
            assertThat(tool.err()).contains("thread has no auto_recover", "vhca threads");
            assertThat(tool.run("health", "set", "bond-h", "path", "grace=1")).isOne();
            assertThat(tool.err()).contains("grace_period, auto_recover and auto_dump, no \"grace\"");
        }
    }

    /** Both are done by themselves, once; a recording has each fact. */
    @Test
    void whatTheOptionSaysIsDoneAtAnError() throws IOException {
        try (Recording recording = new Recording();
                BondContext bond = open()) {
            for (final String event : List.of("HealthError", "HealthRecover", "HealthDump")) {
                recording.enable("io.vhca." + event);
            }
            recording.start();
            bond.admin().set(List.of(
                    "health=journal.auto_recover=true,journal.auto_dump=true,journal.grace_period=86400000"));
            bond.counters().add(Counter.JOURNAL_LOST, 2);
            bond.counters().add(Counter.JOURNAL_ERRORS, 1);
            awaitCounter("health_journal_healed", 2);
            awaitCounter("health_journal_dumped_ms", 1);
            bond.counters().add(Counter.JOURNAL_LOST, 1);
            bond.counters().add(Counter.JOURNAL_ERRORS, 1);
            awaitCounter("journal_lost", 3);
            recording.stop();
            final Path file = directory.resolve("health.jfr");
            recording.dump(file);
            final List<String> facts = new ArrayList<>();
            for (final RecordedEvent event : RecordingFile.readAllEvents(file)) {
                assertThat(event.getString("bond")).isEqualTo("bond-h");
                facts.add(event.getEventType().getName() + " " + event.getString("reporter")
                        + (event.hasField("automatic") ? " " + event.getBoolean("automatic") : ""));
            }
            assertThat(facts).contains("io.vhca.HealthError journal")
                    .containsOnlyOnce("io.vhca.HealthRecover journal true", "io.vhca.HealthDump journal true");
        }
    }
}
