package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.vhca.api.AccessFlags;
import io.vhca.api.Context;
import io.vhca.api.MemoryRegion;
import io.vhca.api.QpState;
import io.vhca.api.QpType;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.UntrustedFileException;
import io.vhca.api.WrOpcode;
import io.vhca.bond.BondContext;
import io.vhca.bond.BondDevice;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.config.ServiceMode.StatusMode;
import io.vhca.bond.core.BondCounters;
import io.vhca.bond.core.MemberStatus;
import io.vhca.examples.RdmaConnection;
import io.vhca.examples.RdmaListener;
import io.vhca.harness.cli.StatusFiles;
import io.vhca.harness.cli.Tool;
import io.vhca.physical.soft.SoftConfig;
import io.vhca.physical.soft.SoftDevice;
import io.vhca.ras.journal.ChronicleJournalProvider;
import io.vhca.ras.snapshot.SnapshotRecorder;
import io.vhca.ras.snapshot.StateHistory;
import io.vhca.ras.status.BondStatus;
import io.vhca.ras.status.StatusDirectory;
import io.vhca.ras.status.StatusPublisher;
import io.vhca.recovery.Journal;
import io.vhca.recovery.JournalEvent;
import io.vhca.recovery.wire.FailureReason;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.logging.StreamHandler;
import org.agrona.concurrent.SystemEpochClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The status file and the control socket of a bond that lives, dies and is told what to do; by the tool's commands. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BondStatusTest {
    @RegisterExtension
    private final StatusFiles files = new StatusFiles();

    private final Tool tool = new Tool();
    private final SoftDevice first = SoftBonds.soft("status-a", 101);
    private final SoftDevice second = SoftBonds.soft("status-b", 102);
    private final SoftDevice third = SoftBonds.soft("status-c", 103);
    private final SoftDevice fourth = SoftBonds.soft("status-d", 104);

    @Test
    void theFileShowsMembersQueuePairsAndFailovers() throws IOException {
        try (BondContext client = SoftBonds.openCalm("bond-s", first, second);
                BondContext server = SoftBonds.openCalm("bond-t", third, fourth);
                RdmaListener listener = RdmaListener.listen(server, 0)) {
            StatusPublisher.attach(client);
            try (RdmaConnection there = RdmaConnection.connect(client, listener.address());
                    RdmaConnection here = listener.accept()) {
                there.awaitEstablished();
                there.send("one");
                assertThat(here.receiveText()).isEqualTo("one");
                final BondStatus before = files.await(status -> status.queuePairs().stream()
                        .anyMatch(qp -> qp.qpNum() == there.qp().qpNum() && qp.completed() == 1));
                assertThat(before.name()).isEqualTo("bond-s");
                assertThat(before.pid()).isEqualTo(ProcessHandle.current().pid());
                assertThat(before.mode()).isEqualTo("active-backup");
                assertThat(before.active()).isEqualTo("status-a");
                assertThat(before.members()).extracting(BondStatus.MemberRow::name, BondStatus.MemberRow::up)
                        .containsExactly(
                                tuple("status-a", true),
                                tuple("status-b", true));

                first.setPortUp(false);
                there.send("two");
                assertThat(here.receiveText()).isEqualTo("two");
                final BondStatus after = files.await(status -> status.failoverCount() > 0);

                assertThat(after.failovers().getFirst().reason()).isEqualTo("PORT_ERR");
                assertThat(after.failovers().getFirst().from()).startsWith("status-a -> ");
                assertThat(after.failovers().getFirst().to()).startsWith("status-b -> ");
                assertThat(after.counters()).containsEntry("req_forged", 0L);
                assertThat(files.await(status -> status.counters().getOrDefault("recovered", 0L) > 0)
                                .members().getFirst().failures())
                        .isOne();
                assertThat(tool.run("status", "bond-s")).isZero();
                assertThat(tool.out())
                        .contains("Bonding Mode: fault-tolerance (active-backup)")
                        .contains("Currently Active Slave: status-b")
                        .containsPattern("Slave Interface: status-a\nMII Status: down\nLink Failure Count: 1\n")
                        .containsPattern("PORT_ERR +status-a -> ");
                assertThat(tool.run("stat", "bond-s")).isZero();
                assertThat(tool.out()).containsPattern("recovered +[1-9]");
                assertThat(tool.run("errors", "bond-s")).isZero();
                assertThat(tool.out()).contains("bond-s");
            }
        }
        assertThat(Files.list(files.directory())).as("left behind").isEmpty();
    }

    /** What a stranger sends is counted by the device alone: it is the device that an operator must ask. */
    @Test
    void whatTheDevicesRefusedIsShownWithWhatItMeans() throws IOException {
        try (BondContext bond = SoftBonds.open("bond-s", first, second);
                DatagramSocket stranger = new DatagramSocket()) {
            StatusPublisher.attach(bond);
            final BondStatus.FaultRow row = files.await(status -> {
                        noise(stranger, bond.admin().members().getFirst().address());
                        return !status.faults().isEmpty();
                    })
                    .faults()
                    .getFirst();
            assertThat(row.member()).isEqualTo("status-a");
            assertThat(row.name()).isEqualTo("drop_malformed");
            assertThat(row.count()).isPositive();
            assertThat(row.meaning()).contains("filter UDP port 4791");
            assertThat(tool.run("errors", "bond-s")).isZero();
            assertThat(tool.out()).containsPattern("bond-s: status-a counts drop_malformed [1-9]");
            assertThat(tool.run("stat", "bond-s")).isZero();
            assertThat(tool.out()).as("the bond's own are by themselves").doesNotContain("drop_malformed");
            bond.admin().remove("status-a");
            assertThat(files.await(status -> status.members().size() == 1 && status.faults().isEmpty()).counters())
                    .as("what comes behind it in the file")
                    .containsKey("failovers");
            final InetAddress left = bond.admin().members().getFirst().address();
            assertThat(files.await(status -> {
                                noise(stranger, left);
                                return !status.faults().isEmpty();
                            })
                            .faults())
                    .extracting(BondStatus.FaultRow::member)
                    .containsOnly("status-b");
        }
    }

    private static void noise(final DatagramSocket from, final InetAddress to) {
        try {
            from.send(new DatagramPacket(new byte[40], 40, new InetSocketAddress(to, 4791)));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The peer has no receive for the last message, so what hardware was given does not complete. */
    @Test
    void aRemovalIsWaitedForAndSaysWhatHoldsIt() throws IOException {
        final BondConfig config = SoftBonds.calm(BondConfig.builder("bond-s"))
                .members(List.of(first.name(), second.name()))
                .drainTimeoutNs(TimeUnit.SECONDS.toNanos(50))
                .build();
        try (Arena arena = Arena.ofConfined();
                BondContext client = SoftBonds.open(config, first, second);
                BondContext server = SoftBonds.openCalm("bond-t", third, fourth);
                RdmaListener listener = RdmaListener.listen(server, 0)) {
            StatusPublisher.attach(client);
            try (RdmaConnection there = RdmaConnection.connect(client, listener.address());
                    RdmaConnection here = listener.accept();
                    MemoryRegion region = there.pd().regMr(arena.allocate(64, 64), AccessFlags.LOCAL_WRITE)) {
                for (int i = 0; i < RdmaConnection.DEPTH; i++) {
                    there.send("message " + i);
                }
                assertThat(there.qp().postSend(SendWorkRequest.allocate(arena, 1)
                                .wrId(77)
                                .opcode(WrOpcode.SEND)
                                .sendFlags(SendFlags.SIGNALED)
                                .sge(region.addr(), 4, region.lkey())))
                        .isOne();
                files.await(status -> status.queuePairs().stream()
                        .anyMatch(qp -> qp.member().equals("status-a") && qp.posted() > RdmaConnection.DEPTH));

                assertThat(tool.run("bond", "remove", "bond-s", "status-a", "--wait", "--timeout", "1")).isEqualTo(1);
                assertThat(tool.err())
                        .contains("status-a is not gone after 1 s: on it is queue pair " + there.qp().qpNum() + ",");
                assertThat(tool.run("bond", "remove", "bond-s", "nosuch", "--wait")).isEqualTo(1);
                assertThat(tool.err()).contains("no member nosuch");
                assertThat(tool.run("bond", "resume", "bond-s", "status-a")).isZero();

                for (int i = 0; i < RdmaConnection.DEPTH; i++) {
                    assertThat(here.receiveText()).isEqualTo("message " + i);
                }
                assertThat(tool.run("bond", "remove", "bond-s", "status-a", "--wait")).as(tool.err()).isZero();
                assertThat(client.admin().members()).extracting(MemberStatus::name).containsExactly("status-b");
                assertThat(here.receive()).hasSize(4);
            }
        }
    }

    @Test
    void datagramQueuePairsAreListedWithTheirMember() throws IOException {
        try (BondContext bond = SoftBonds.open("bond-s", first, second)) {
            StatusPublisher.attach(bond);
            final int qpNum;
            try (DatagramEnd end = new DatagramEnd(bond)) {
                qpNum = end.qp.qpNum();
                final BondStatus status = files.await(now ->
                        now.queuePairs().stream().anyMatch(qp -> qp.state() == QpState.RTS && !qp.member().isEmpty()));
                assertThat(status.queuePairs()).singleElement().satisfies(qp -> {
                    assertThat(qp.qpNum()).isEqualTo(qpNum);
                    assertThat(qp.type()).isEqualTo(QpType.UD);
                    assertThat(qp.state()).isEqualTo(QpState.RTS);
                    assertThat(qp.recovery()).isNull();
                    assertThat(qp.member()).isEqualTo("status-a");
                    assertThat(qp.remote()).isEmpty();
                });
                assertThat(status.members()).extracting(BondStatus.MemberRow::queuePairs).containsExactly(1, 0);
                assertThat(tool.run("status", "bond-s")).isZero();
                assertThat(tool.out()).containsPattern(
                        "\\b" + qpNum + " +UD +RTS +- +[1-9][0-9]* +status-a +0 +0 +0\\n");
                bond.admin().drain("status-a");
                files.await(now -> now.queuePairs().getFirst().member().equals("status-b"));
            }
            files.await(now -> now.queuePairs().isEmpty() && now.qpCount() == 0);
        }
    }

    @Test
    void anOperatorDrainsAndActivatesThroughTheSocket() throws IOException {
        try (BondContext bond = SoftBonds.open("bond-s", first, second)) {
            StatusPublisher.attach(bond);
            files.await(status -> status.members().size() == 2);

            assertThat(tool.run("bond", "drain", "bond-s", "status-a")).isZero();
            assertThat(bond.admin().members()).extracting(MemberStatus::drained).containsExactly(true, false);
            files.await(status -> status.members().getFirst().drained());
            assertThat(tool.run("bond", "activate", "bond-s", "status-a")).isEqualTo(1);
            assertThat(tool.err()).contains("status-a", "drained; resume it first");
            assertThat(tool.run("bond", "drain", "bond-s", "nosuch")).isEqualTo(1);
            assertThat(tool.err()).contains("no member nosuch", "status-a");
            assertThat(tool.run("bond", "resume", "bond-s", "status-a")).isZero();
            assertThat(bond.admin().members()).extracting(MemberStatus::drained).containsExactly(false, false);
            assertThat(tool.run("bond", "activate", "bond-s", "status-b")).isZero();
            assertThat(files.await(status -> status.active().equals("status-b")).active()).isEqualTo("status-b");
        }
    }

    @Test
    void anOperatorReplacesMembersThroughTheSocketWhileMessagesFlow() throws IOException {
        final String softs = java.util.stream.IntStream.range(0, 6)
                .mapToObj(i -> "live" + i + "=" + SoftBonds.own(111 + i).getHostAddress())
                .collect(java.util.stream.Collectors.joining(","));
        System.setProperty(SoftConfig.PROPERTY, softs);
        try (Context client = bond("bond-l", "live0", "live1").open();
                Context server = bond("bond-m", "live2", "live3").open();
                RdmaListener listener = RdmaListener.listen(server, 0);
                RdmaConnection there = RdmaConnection.connect(client, listener.address());
                RdmaConnection here = listener.accept()) {
            there.awaitEstablished();
            exchange(there, here);
            assertThat(tool.run("bond", "add", "bond-l", "live1")).isEqualTo(1);
            assertThat(tool.err()).contains("live1", "a member already");
            assertThat(tool.run("bond", "add", "bond-l", "live2")).isEqualTo(1);
            assertThat(tool.err()).contains("live2", "belongs to bond-m");
            assertThat(tool.run("bond", "add", "bond-l", "bond-m")).isEqualTo(1);
            assertThat(tool.run("bond", "add", "bond-l", "nosuch")).isEqualTo(1);
            assertThat(tool.err()).contains("nosuch", "live5");
            replace("bond-l", "live0", "live4", there, here);
            replace("bond-l", "live1", "live5", there, here);
            replace("bond-m", "live2", "live0", there, here);
            replace("bond-m", "live3", "live1", there, here);
            replace("bond-l", "live4", "live2", there, here);
            assertThat(members("bond-l")).containsExactlyInAnyOrder("live5", "live2");
            assertThat(members("bond-m")).containsExactly("live0", "live1");
            assertThat(tool.run("status", "bond-l")).isZero();
            assertThat(tool.out()).contains("Slave Interface: live2").doesNotContain("Slave Interface: live0");
        } finally {
            System.clearProperty(SoftConfig.PROPERTY);
        }
    }

    @Test
    void anOperatorChangesOptionsThroughTheSocket() throws IOException {
        try (BondContext bond = SoftBonds.open("bond-s", first, second)) {
            StatusPublisher.attach(bond);
            files.await(status -> status.members().size() == 2);
            assertThat(tool.run("bond", "set", "bond-s", "updelay", "5s")).isZero();
            assertThat(tool.run("bond", "set", "bond-s", "downdelay=3ms", "min_links=2", "miimon=50ms")).isZero();
            assertThat(tool.run("bond", "set", "bond-s", "primary", "status-b")).isZero();
            final BondStatus status =
                    files.await(now -> now.primary().equals("status-b") && now.active().equals("status-b"));
            assertThat(List.of(status.updelayMs(), status.downdelayMs(), status.minLinks(), status.miimonMs()))
                    .containsExactly(5_000L, 3L, 2L, 50L);
            // Whatever has a row among the options is shown, also what nothing else of the status file speaks of.
            assertThat(status.options())
                    .containsExactlyElementsOf(bond.admin().config().toText().lines().skip(1).toList())
                    .contains("updelay = 5s", "primary = status-b", "retry_cnt = 3");
            assertThat(tool.run("status", "bond-s", "--options")).isZero();
            assertThat(tool.out()).contains("[bond-s]\n", "miimon = 50ms\n");
            assertThat(tool.run("bond", "set", "bond-s", "active_slave=status-a", "primary=none")).isZero();
            files.await(now -> now.primary().isEmpty() && now.active().equals("status-a"));
            assertThat(tool.run(
                            "bond", "set", "bond-s", "updelay=1s", "active_slave=eth0", "mode=802.3ad", "min_links=0"))
                    .isEqualTo(1);
            assertThat(tool.err()).contains("no member eth0", "mode does not change", "min_links is \"0\"");
            assertThat(bond.admin().config().updelayNs()).isEqualTo(5_000_000_000L);
        }
    }

    /** A process that is stopped, as a debugger does it: connections are taken by the kernel, nobody reads. */
    @Test
    void aBondThatDoesNotAnswerIsGivenUpInOneSentence() throws IOException {
        try (BondContext bond = SoftBonds.open("bond-s", first, second)) {
            StatusPublisher.attach(bond);
            files.await(status -> status.members().size() == 2);
            final Path socket =
                    files.directory().resolve("bond-s." + ProcessHandle.current().pid() + ".socket");
            Files.delete(socket);
            try (ServerSocketChannel stopped = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
                stopped.bind(UnixDomainSocketAddress.of(socket));
                assertThat(tool.run("bond", "drain", "bond-s", "status-a", "--answer-within", "1")).isEqualTo(3);
                assertThat(tool.err()).contains("bond-s of process ", "cannot be told: no answer within 1 s; ");
                assertThat(tool.run("bond", "drain", "bond-s", "status-a", "--answer-within", "0")).isEqualTo(2);
            }
        }
    }

    private static BondDevice bond(final String name, final String one, final String other) {
        return new BondDevice(BondConfig.builder(name).members(List.of(one, other)).build());
    }

    private static void exchange(final RdmaConnection there, final RdmaConnection here) {
        there.send("ping");
        assertThat(here.receiveText()).isEqualTo("ping");
        here.send("pong");
        assertThat(there.receiveText()).isEqualTo("pong");
    }

    private void replace(
            final String bond,
            final String from,
            final String to,
            final RdmaConnection there,
            final RdmaConnection here)
            throws IOException {
        assertThat(tool.run("bond", "add", bond, to)).as(tool.err()).isZero();
        assertThat(tool.run("bond", "remove", bond, from)).as(tool.err()).isZero();
        do {
            exchange(there, here);
        } while (members(bond).contains(from));
        exchange(there, here);
        final BondStatus status = files.of(bond);
        assertThat(status.queuePairs()).extracting(BondStatus.QpRow::member).doesNotContain(from);
        assertThat(status.failovers()).extracting(BondStatus.FailoverRow::error).allMatch(String::isEmpty);
        assertThat(status.failovers()).extracting(BondStatus.FailoverRow::endedMs).allMatch(endedMs -> endedMs > 0);
    }

    private List<String> members(final String bond) throws IOException {
        return files.of(bond).members().stream().map(BondStatus.MemberRow::name).toList();
    }

    /** A process of another version, or one that died while it wrote, hides nobody else's bond. */
    @Test
    void aFileThatCannotBeReadIsToldOfBesideTheOthers() throws IOException {
        final Path other = Files.writeString(files.directory().resolve("bond-x.1.status"), "something else");
        assertThat(tool.run("status")).isEqualTo(3);
        assertThat(tool.err()).contains(other.toString(), "too short; delete it", "no bond is open");
        try (BondContext bond = SoftBonds.open("bond-s", first, second)) {
            StatusPublisher.attach(bond);
            do {
                assertThat(tool.run("status")).isIn(1, 3);
            } while (tool.out().isEmpty());
            for (final String command : List.of("status", "stat", "errors", "metrics")) {
                assertThat(tool.run(command)).as(command).isEqualTo(1);
                assertThat(tool.out()).as(command).contains("bond-s");
                assertThat(tool.err()).as(command).contains(other.toString());
            }
            assertThat(tool.run("bond", "drain", "bond-s", "status-a")).isZero();
        }
    }

    /** A container that crashed and starts again has the same processes. */
    @Test
    void whatAProcessOfTheSameNumberLeftIsReplaced() throws IOException {
        Files.writeString(
                files.directory().resolve("bond-s." + ProcessHandle.current().pid() + ".status"), "x");
        try (BondContext bond = SoftBonds.open("bond-s", first, second)) {
            StatusPublisher.attach(bond);
            final BondStatus shown = files.await(status -> status.name().equals("bond-s"));
            assertThat(shown.pid()).isEqualTo(ProcessHandle.current().pid());
        }
    }

    @Test
    void aJournalThatCannotBeWrittenIsCountedAndSeen() throws Exception {
        final Path taken = Files.createFile(files.directory().resolve("taken"));
        try (BondContext bond = SoftBonds.open("bond-s", first, second)) {
            StatusPublisher.attach(bond);
            final Journal journal = new ChronicleJournalProvider().open(bond, taken);
            assertThat(bond.counters().get(BondCounters.Counter.JOURNAL_ERRORS)).isEqualTo(1);
            journal.append(JournalEvent.member(0, "bond-s", FailureReason.NONE, "member status-a is up"));
            ((AutoCloseable) journal).close();
            assertThat(bond.counters().get(BondCounters.Counter.JOURNAL_LOST)).isEqualTo(1);
            files.await(status -> Long.valueOf(1).equals(status.counters().get("journal_lost")));
            assertThat(tool.run("errors", "bond-s")).isZero();
            assertThat(tool.out())
                    .containsPattern("bond-s, process " + ProcessHandle.current().pid() + ".*: once, at \\d{4}-")
                    .contains("VHCA-0103 ", "journal " + taken + " of bond-s cannot be written: it is a file");
            assertThat(tool.run("health", "diagnose", "bond-s")).isOne();
            assertThat(tool.out()).contains("bond-s journal: 1 events are lost");
            assertThat(tool.run("status", "bond-s")).isZero();
            assertThat(tool.out()).contains("Journal: could not be written 1 time, 1 events lost; `vhca errors`");
        }
    }

    @Test
    void whereThereIsNoBondTheToolSaysSo() {
        assertThat(tool.run("status")).isEqualTo(3);
        assertThat(tool.err()).contains("no bond is open", files.directory().toString());
        assertThat(tool.run("bond", "drain", "bond0", "soft0")).isEqualTo(3);
        assertThat(tool.err()).contains("no bond bond0 is open");
    }

    @Test
    void aDirectoryThatCannotBeMadeCostsTheStatusNotTheBond() throws IOException {
        System.setProperty(
                StatusDirectory.PROPERTY,
                Files.createFile(files.directory().resolve("file")).resolve("below").toString());
        try (BondContext bond = SoftBonds.open("bond-s", first, second)) {
            StatusPublisher.attach(bond);
            assertThat(bond.admin().members()).hasSize(2);
        }
    }

    private static String mode(final Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void itsFilesAreForTheOwnerAloneUnlessTheGroupMayToo() throws IOException {
        final String stem = "." + ProcessHandle.current().pid();
        for (final StatusMode wanted : StatusMode.values()) {
            final BondConfig config = BondConfig.builder("bond-s")
                    .members(List.of(first.name(), second.name()))
                    .set(BondOption.STATUS_MODE, wanted)
                    .build();
            try (BondContext bond = SoftBonds.open(config, first, second)) {
                StatusPublisher.attach(bond);
                final boolean isGroup = wanted == StatusMode.GROUP;
                assertThat(mode(files.directory())).isEqualTo(isGroup ? "rwxr-x---" : "rwx------");
                assertThat(mode(files.directory().resolve("bond-s" + stem + ".status")))
                        .isEqualTo(isGroup ? "rw-r-----" : "rw-------");
                assertThat(mode(files.directory().resolve("bond-s" + stem + ".socket")))
                        .isEqualTo(isGroup ? "rw-rw----" : "rw-------");
            }
        }
    }

    /** As another user would leave it, before the application is started: what lies there is not touched. */
    @Test
    void aDirectoryThatOthersMayWriteCostsTheStatusNotTheBond() throws IOException {
        final Path planted = Files.createDirectory(files.directory().resolve("planted"));
        Files.setPosixFilePermissions(planted, PosixFilePermissions.fromString("rwxrwxrwx"));
        final Path dead = Files.createFile(planted.resolve("bond-s." + Integer.MAX_VALUE + ".status"));
        final Path link = Files.createSymbolicLink(files.directory().resolve("link"), planted);
        for (final Path directory : List.of(planted, link)) {
            System.setProperty(StatusDirectory.PROPERTY, directory.toString());
            try (BondContext bond = SoftBonds.open("bond-s", first, second)) {
                StatusPublisher.attach(bond);
                assertThat(bond.admin().members()).hasSize(2);
                assertThat(Files.list(planted)).containsExactly(dead);
            }
        }
        Files.setPosixFilePermissions(planted, PosixFilePermissions.fromString("rwx------"));
        assertThatThrownBy(() -> {
                    try (BondContext bond = SoftBonds.open("bond-s", first, second)) {
                        StatusPublisher.open(bond, link, SystemEpochClock.INSTANCE).close();
                    }
                })
                .isInstanceOf(UntrustedFileException.class)
                .hasMessageContaining("is a symbolic link");
        assertThat(dead).exists();
    }

    @Test
    void itsSnapshotsAreMissedWithOneAdvice() throws IOException {
        final Path planted = Files.createDirectory(files.directory().resolve("planted"));
        Files.setPosixFilePermissions(planted, PosixFilePermissions.fromString("rwxrwxrwx"));
        final ByteArrayOutputStream lines = new ByteArrayOutputStream();
        final Handler log = new StreamHandler(lines, new SimpleFormatter());
        final Logger logger = Logger.getLogger(SnapshotRecorder.class.getName());
        logger.addHandler(log);
        try (BondContext bond = SoftBonds.open("bond-s", first, second)) {
            for (final Path directory : List.of(planted, Files.createFile(planted.resolve("file")).resolve("below"))) {
                System.setProperty(StatusDirectory.PROPERTY, directory.toString());
                SnapshotRecorder.attach(bond, StateHistory.attach(bond));
            }
        } finally {
            logger.removeHandler(log);
        }
        log.flush();
        assertThat(lines.toString(StandardCharsets.UTF_8)).contains(
                "bond-s: no snapshots: " + planted + " may be written by other users (mode 0777); look at what is in it"
                        + " and `chmod go-w` it, or name another directory by -Dvhca.status.dir\n",
                "bond-s: no snapshots in " + planted.resolve("file/below") + " (",
                "); make it writable, or name another by -Dvhca.status.dir\n");
    }

    /** Where nobody named a directory, the one of this user's name is another user's as long as it is not judged. */
    @Test
    void aDirectoryThatNobodyNamedIsTrustedOnlyWhereItIsThisUsersOwn() throws IOException {
        System.clearProperty(StatusDirectory.PROPERTY);
        final String user = System.getProperty("user.name");
        System.setProperty("user.name", files.directory().getFileName().toString());
        final Path planted = Files.createDirectory(StatusDirectory.path());
        try {
            Files.setPosixFilePermissions(planted, PosixFilePermissions.fromString("rwxrwxrwx"));
            assertThat(tool.run("status")).isEqualTo(3);
            assertThat(tool.err())
                    .contains("no bond is shown: " + planted, "mode 0777", "another directory by VHCA_STATUS_DIR");
            System.setProperty(StatusDirectory.PROPERTY, planted.toString());
            assertThat(tool.run("status")).isEqualTo(3);
            assertThat(tool.err()).contains("no bond is open: nothing in " + planted);
        } finally {
            System.setProperty("user.name", user);
            Files.delete(planted);
        }
    }
}
