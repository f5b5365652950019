package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AccessFlags;
import io.vhca.api.MemoryRegion;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.WrOpcode;
import io.vhca.bond.BondContext;
import io.vhca.bond.core.MemberStatus;
import io.vhca.examples.RdmaConnection;
import io.vhca.examples.RdmaListener;
import io.vhca.harness.cli.StatusFiles;
import io.vhca.harness.cli.Tool;
import io.vhca.physical.soft.SoftDevice;
import io.vhca.ras.dump.BondDump;
import io.vhca.ras.snapshot.SnapshotRecorder;
import io.vhca.ras.snapshot.StateHistory;
import io.vhca.ras.status.StatusPublisher;
import io.vhca.ras.trace.TracePublisher;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a bond does can be read from its trace, as much as was asked for; by the tool's commands. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BondTraceTest {
    @RegisterExtension
    private final StatusFiles files = new StatusFiles();

    private final Tool tool = new Tool();
    private final SoftDevice first = SoftBonds.soft("trace-a", 161);
    private final SoftDevice second = SoftBonds.soft("trace-b", 162);
    private final SoftDevice third = SoftBonds.soft("trace-c", 163);
    private final SoftDevice fourth = SoftBonds.soft("trace-d", 164);

    private List<Path> traces() throws IOException {
        return files(".trace");
    }

    private List<Path> files(final String suffix) throws IOException {
        try (Stream<Path> all = Files.list(files.directory())) {
            return all.filter(file -> file.toString().endsWith(suffix)).toList();
        }
    }

    private static void exchange(final RdmaConnection from, final RdmaConnection to, final String text) {
        from.send(text);
        assertThat(to.receiveText()).isEqualTo(text);
    }

    private String show(final String... words) {
        final List<String> all = new java.util.ArrayList<>(List.of("trace", "show", "bond-v"));
        all.addAll(List.of(words));
        assertThat(tool.run(all.toArray(String[]::new))).as(tool.all()).isZero();
        return tool.out();
    }

    @Test
    void itShowsQueuePairsFailoversAndWhereAskedForRequests() throws IOException {
        final Path saved = files.directory().resolve("saved");
        try (BondContext client = SoftBonds.openCalm("bond-v", first, second);
                BondContext server = SoftBonds.openCalm("bond-w", third, fourth);
                RdmaListener listener = RdmaListener.listen(server, 0)) {
            TracePublisher.attach(client);
            StatusPublisher.attach(client);
            try (RdmaConnection there = RdmaConnection.connect(client, listener.address());
                    RdmaConnection here = listener.accept()) {
                there.awaitEstablished();
                final String qp = "qp:0x" + Integer.toHexString(there.qp().qpNum());
                exchange(there, here, "one");
                while (!show("-c", "control").contains("connected to the peer's bond")) {
                    Thread.yield();
                }
                assertThat(show("-c", "memory", "-o", qp))
                        .containsPattern("memory +event +" + qp + " .*allocated \\d+ bytes at \\w+");
                assertThat(show("-o", qp))
                        .containsPattern("qp +event +" + qp + " .*created, RC, ")
                        .contains("INIT -> RTS")
                        .doesNotContain("posted", "completed wr_id");
                assertThat(show()).containsPattern("cm +event .*event ESTABLISHED, status 0")
                        .containsPattern("mr +event +mr:0x\\w+ .*registered \\d+ bytes at 0x");

                files.await(status -> status.name().equals("bond-v"));
                assertThat(tool.run("trace", "set", "bond-v", qp + "=detail")).as(tool.all()).isZero();
                exchange(there, here, "two");
                assertThat(show("-l", "detail", "-o", qp))
                        .containsPattern("post +detail +" + qp + " .*posted 1 sends, first wr_id=\\w+ SEND, last is #1")
                        .containsPattern("poll +detail +" + qp + " .*completed wr_id=\\w+ SEND SUCCESS");
                assertThat(show("-c", "recovery")).doesNotContain("posted");

                assertThat(tool.run("trace", "set", "bond-v", "off", qp + "=event")).isZero();
                first.setPortUp(false);
                exchange(there, here, "three");
                files.await(status -> status.failoverCount() > 0);
                assertThat(show("-o", qp))
                        .contains("TRANSITION CONNECTED -> FENCING, PORT_ERR")
                        .containsPattern("recovered in \\d+ ns after PORT_ERR")
                        .doesNotContain("last is #2");

                assertThat(tool.run("trace", "set", "bond-v", "loud")).isOne();
                assertThat(tool.err()).contains("\"loud\" is no level");
                assertThat(traces()).singleElement().satisfies(file -> assertThat(PosixFilePermissions.toString(
                                Files.getPosixFilePermissions(file)))
                        .isEqualTo("rw-------"));
                assertThat(tool.run("trace", "save", "bond-v", "--to", saved.toString())).isZero();
                assertThat(tool.run("trace", "save", "bond-v", "--to", saved.toString())).isEqualTo(3);
                assertThat(tool.err()).contains("is there already");
            }
        }
        assertThat(traces()).isEmpty();
        assertThat(tool.run("trace", "show", "bond-v")).isEqualTo(3);
        assertThat(tool.run("trace", "show", "--file", saved.toString(), "-n", "1")).isZero();
        assertThat(tool.out().lines()).hasSize(2);
    }

    /** A member that executes its transport in software tells of its connections, and where asked of each refusal. */
    @Test
    void itShowsWhatSoftMembersDo() {
        try (BondContext client = SoftBonds.openCalm("bond-v", first, second);
                BondContext server = SoftBonds.openCalm("bond-w", third, fourth);
                RdmaListener listener = RdmaListener.listen(server, 0)) {
            TracePublisher.attach(client);
            client.admin().set(List.of("trace=soft_engine=detail"));
            try (RdmaConnection there = RdmaConnection.connect(client, listener.address());
                    RdmaConnection here = listener.accept();
                    Arena arena = Arena.ofConfined();
                    MemoryRegion own = there.pd().regMr(arena.allocate(64, 64), AccessFlags.LOCAL_WRITE);
                    MemoryRegion target = here.pd().regMr(arena.allocate(64, 64), AccessFlags.LOCAL_WRITE)) {
                there.awaitEstablished();
                assertThat(show("-c", "soft_cm"))
                        .containsPattern("soft_cm +event +member:0x0 .*CM_SENT REQ, communication ids 0x\\w+")
                        .containsPattern("CM_RECEIVED REP, ")
                        .containsPattern("CM_SENT RTU, ");
                final SendWorkRequest wr = SendWorkRequest.allocate(arena, 1);
                wr.opcode(WrOpcode.RDMA_WRITE).sge(own.addr(), 8, own.lkey()).rdma(target.addr(), target.rkey());
                assertThat(there.qp().postSend(wr)).isOne();
                String shown = "";
                while (!shown.contains("NAK_RECEIVED")) {
                    shown = show("-c", "soft_engine");
                }
                assertThat(shown).containsPattern(
                        "soft_engine detail +member:0x0 .*NAK_RECEIVED, physical qp 0x\\w+, psn \\d+");
            }
        }
    }

    /** All of a bond in one file, while it goes on; each queue pair by its number. */
    @Test
    void aDumpHasEveryQueuePair() throws IOException {
        final Path dump = files.directory().resolve("own.dump");
        try (BondContext client = SoftBonds.openCalm("bond-v", first, second);
                BondContext server = SoftBonds.openCalm("bond-w", third, fourth);
                RdmaListener listener = RdmaListener.listen(server, 0)) {
            TracePublisher.attach(client);
            StatusPublisher.attach(client, Map.of("dump", () -> BondDump.write(client, false)));
            try (RdmaConnection one = RdmaConnection.connect(client, listener.address());
                    RdmaConnection oneHere = listener.accept();
                    RdmaConnection two = RdmaConnection.connect(client, listener.address());
                    RdmaConnection twoHere = listener.accept()) {
                one.awaitEstablished();
                two.awaitEstablished();
                exchange(one, oneHere, "one");
                files.await(status -> status.name().equals("bond-v"));
                assertThat(tool.run("dump", "bond-v", "--to", dump.toString())).as(tool.all()).isZero();
                exchange(two, twoHere, "two");
                assertThat(tool.run("decode", dump.toString())).isZero();
                for (final RdmaConnection each : List.of(one, two)) {
                    final String qp = "qp:0x" + Integer.toHexString(each.qp().qpNum());
                    assertThat(tool.out()).containsPattern(qp + " +RC RTS CONNECTED, posted ")
                            .containsPattern("\n" + qp + " hardware\n  physical qpn +0x\\w+\n  state +RTS\n");
                }
                assertThat(tool.out())
                        .containsPattern("member trace-a\n  up +true\n")
                        .containsPattern("mode +active-backup\n")
                        .contains("created, RC, ");
                assertThat(tool.run("users", "trace-b")).as(tool.all()).isZero();
                assertThat(tool.out())
                        .containsPattern("\n" + ProcessHandle.current().pid() + " +\\S+ +member of bond-v +\\d+ +\\d");
                assertThat(tool.run("users", "bond-v")).isZero();
                assertThat(tool.out()).containsPattern("has it open +\\d+ +\\d");
                assertThat(tool.run("users", "trace-nobody")).isOne();
                assertThat(tool.out()).startsWith("nobody is seen to hold trace-nobody");
                assertThat(tool.run("decode", dump.toString(), "--as", "html")).isZero();
                assertThat(tool.run("dump", "bond-v", "--to", dump.toString())).isEqualTo(3);
                assertThat(tool.err()).contains("is there already");
                final Path nowhere = files.directory().resolve("none/x");
                assertThat(tool.run("dump", "bond-v", "--to", nowhere.toString())).isEqualTo(3);
                assertThat(tool.err()).contains(nowhere.getParent() + " is no directory");
                assertThat(files(".dump")).as("a dump that was refused is none").containsExactly(dump);
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(dump))).isEqualTo("rw-------");
            }
        }
    }

    /** A dump that cannot be written is said, and harms nothing. */
    @Test
    void aDumpThatCannotBeWrittenIsSaid() throws IOException {
        try (BondContext client = SoftBonds.open("bond-v", first, second)) {
            StatusPublisher.attach(client, Map.of("dump", () -> BondDump.write(client, false)));
            files.await(status -> status.name().equals("bond-v"));
            final String pid = String.valueOf(ProcessHandle.current().pid());
            Files.createDirectories(files.directory().resolve("bond-v." + pid + ".asked.dump").resolve("in the way"));
            assertThat(tool.run("dump", "bond-v", "--to", files.directory().resolve("x").toString())).isOne();
            assertThat(tool.err()).contains("the dump was not written, and the bond goes on");
            assertThat(tool.run("status", "bond-v")).isZero();
        }
    }

    /** What a member's snapshot is written from is there until it is written. */
    @Test
    void theSnapshotOfAMemberThatDiedHasTheTraceWhereTheBondIsClosedAtOnce() throws IOException {
        try (BondContext client = SoftBonds.open("bond-v", first, second)) {
            TracePublisher.attach(client);
            SnapshotRecorder.attach(client, StateHistory.attach(client));
            first.kill();
            while (client.admin().members().stream().allMatch(MemberStatus::up)) {
                Thread.yield();
            }
        }
        assertThat(tool.run("snapshot", "show", "last")).as(tool.all()).isZero();
        assertThat(tool.out()).containsPattern("code +VHCA-0121\n").contains("\ntrace\n");
        assertThat(tool.out().substring(tool.out().indexOf("\ntrace\n"))).contains("has died");
        assertThat(traces()).isEmpty();
    }

    /** The next open of a bond keeps the traces of the last processes that died, and no more. */
    @Test
    void tracesOfTheDeadAreKeptInBounds() throws IOException {
        for (int dead = 1; dead <= 6; dead++) {
            // Above the largest pid that Linux gives.
            Files.write(files.directory().resolve("bond-v." + (10_000_000 + dead) + ".trace"), new byte[0]);
        }
        Files.write(files.directory().resolve("bond-other.10000001.trace"), new byte[0]);
        try (BondContext client = SoftBonds.open("bond-v", first, second)) {
            TracePublisher.attach(client);
            assertThat(traces()).hasSize(1 + 4 + 1);
        }
        assertThat(traces()).hasSize(4 + 1);
    }
}
