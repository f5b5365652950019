package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.AddressHandle;
import io.vhca.api.Errno;
import io.vhca.api.Gid;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.SharedReceiveQueue;
import io.vhca.api.SrqAttributes;
import io.vhca.api.WorkCompletion;
import io.vhca.api.WrOpcode;
import io.vhca.bond.BondContext;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.config.ServiceMode.Checks;
import io.vhca.bond.core.BondCounters;
import io.vhca.examples.RdmaConnection;
import io.vhca.examples.RdmaListener;
import io.vhca.harness.cli.StatusFiles;
import io.vhca.harness.cli.Tool;
import io.vhca.physical.soft.SoftDevice;
import io.vhca.ras.snapshot.SnapshotRecorder;
import io.vhca.ras.snapshot.StateHistory;
import io.vhca.ras.status.StatusPublisher;
import io.vhca.ras.trace.TracePublisher;
import io.vhca.recovery.wire.RejectCode;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What a queue pair failed by stands in the error log with its code, the path and what to do. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BondErrorsTest {
    @RegisterExtension
    private final StatusFiles files = new StatusFiles();

    private final Tool tool = new Tool();
    private final SoftDevice first = SoftBonds.soft("errors-a", 165);
    private final SoftDevice second = SoftBonds.soft("errors-b", 166);
    private final SoftDevice third = SoftBonds.soft("errors-c", 167);
    private final SoftDevice fourth = SoftBonds.soft("errors-d", 168);

    private BondContext open(final String name, final SoftDevice one, final SoftDevice other) {
        return SoftBonds.open(
                SoftBonds.calm(BondConfig.builder(name))
                        .members(List.of(one.name(), other.name()))
                        .recoveryTimeoutNs(TimeUnit.SECONDS.toNanos(3))
                        .build(),
                one,
                other);
    }

    @Test
    void noPathHasItsCode() throws IOException {
        try (BondContext client = open("bond-x", first, second);
                BondContext server = open("bond-y", third, fourth);
                RdmaListener listener = RdmaListener.listen(server, 0)) {
            TracePublisher.attach(client);
            SnapshotRecorder.attach(client, StateHistory.attach(client));
            StatusPublisher.attach(client);
            try (RdmaConnection there = RdmaConnection.connect(client, listener.address());
                    RdmaConnection _ = listener.accept()) {
                there.awaitEstablished();
                first.setPortUp(false);
                second.setPortUp(false);
                files.await(status -> !status.errors().isEmpty()
                        && status.errors().stream().anyMatch(error -> error.text().startsWith("VHCA-0001")));
                assertThat(tool.run("health", "show", "bond-x")).isOne();
                assertThat(tool.out())
                        .containsPattern("bond-x +\\d+ +member +error +2 +0 +never ")
                        .containsPattern("bond-x +\\d+ +journal +healthy +0 +0 +never ");
                assertThat(tool.run("health", "diagnose", "bond-x")).isOne();
                assertThat(tool.out()).contains("bond-x member: errors-a is down, for the 1. time");
                assertThat(tool.run("errors", "bond-x")).isZero();
                assertThat(tool.out())
                        .containsPattern("bond-x, process " + ProcessHandle.current().pid() + ".*: once, at ")
                        .containsPattern("VHCA-0001 queue pairs failed with NO_PATH, noticed by PORT_ERR on"
                                + " errors-\\w -> ")
                        .contains("what to do: look at `vhca status` for members that are down");
            }
        }
    }

    /** Their refusals filled the log, and errors of the bond itself were left out of it without a word. */
    @Test
    void strangersDoNotFillTheLogAndWhatFindsNoRoomIsCounted() throws IOException {
        try (BondContext bond = open("bond-x", first, second)) {
            StatusPublisher.attach(bond);
            for (int i = 0; i < 1_000; i++) {
                final InetAddress stranger = InetAddress.ofLiteral(
                        "2001:db8:1111:2222:3333:4444:" + (0x1000 + i / 500) + ":" + (0x1000 + i % 500));
                bond.counters().refused(BondCounters.Counter.REQ_BAD_PROOF, stranger);
                bond.counters().keyRefused(RejectCode.BAD_PROOF, stranger);
            }
            bond.counters().ignored(new IllegalStateException("of the bond itself"));
            files.await(status ->
                    status.errors().stream().anyMatch(error -> error.text().contains("of the bond itself")));
            files.await(status -> status.counters().getOrDefault("errors_left_out", -1L) == 0);
            assertThat(tool.run("errors", "bond-x")).isZero();
            assertThat(tool.out()).contains("VHCA-0112 ").doesNotContain("error log is full");

            bond.counters().ignored(new IllegalStateException("longer than the log".repeat(4_000)));
            files.await(status -> status.counters().getOrDefault("errors_left_out", -1L) == 1);
            assertThat(tool.run("errors", "bond-x")).isZero();
            assertThat(tool.out()).contains("bond-x: the error log is full, and 1 error is not in it");
        }
    }

    /** With checks = full a post that is refused is told with its queue pair, its place in the chain and its field. */
    @Test
    void aRefusedPostIsToldWithItsField() throws IOException {
        final BondConfig config = BondConfig.builder("bond-x")
                .members(List.of(first.name(), second.name()))
                .set(BondOption.CHECKS, Checks.FULL)
                .build();
        try (BondContext client = SoftBonds.open(config, first, second);
                DatagramEnd end = new DatagramEnd(client);
                Arena arena = Arena.ofConfined()) {
            StatusPublisher.attach(client);
            final SendWorkRequest wr = SendWorkRequest.allocate(arena, 2);
            wr.opcode(WrOpcode.SEND).ud(0x4711, 1, DatagramEnd.QKEY);
            wr.sge(0, 4096, 8, 0x7777).numSge(2);
            assertThat(end.qp.postSend(wr)).isEqualTo(-Errno.EINVAL);
            assertThat(end.qp.postSend(wr.numSge(1))).isEqualTo(-Errno.EINVAL);
            assertThat(end.qp.postSend(wr.opcode(WrOpcode.RDMA_READ))).isEqualTo(-Errno.EOPNOTSUPP);
            end.qp.modify(new QpAttributes().qpState(QpState.RESET));
            assertThat(end.qp.postSend(wr)).isEqualTo(-Errno.EOPNOTSUPP);
            try (SharedReceiveQueue srq = end.pd.createSrq(new SrqAttributes(4, 1, 0))) {
                assertThat(srq.postRecv(RecvWorkRequest.allocate(arena, 2).numSge(2))).isEqualTo(-Errno.EINVAL);
            }
            files.await(status -> status.counters().getOrDefault("posts_refused", 0L) == 5);
            assertThat(tool.run("errors", "bond-x")).isZero();
            assertThat(tool.out())
                    .contains("VHCA-0124", "postSend on " + end.qp + " failed (EINVAL): request 0 of its chain is"
                            + " refused: num_sge is 2, the queue was created for 0 .. 1 (max_send_sge)")
                    .contains("ud.ah is 0x4711, which is no open address handle")
                    .contains("postSrqRecv on bond-x srq failed (EINVAL)", "num_sge is not 0 .. 1")
                    .contains("opcode is RDMA_READ (4)")
                    .contains("the queue pair is in RESET; sends are taken from RTS on");
        }
    }

    /** A queue pair that has no path left, and its bond is closed: its snapshot has what was in flight, and why. */
    @Test
    void aSnapshotOutlivesTheQueuePairThatFailed() throws IOException {
        final String named;
        try (BondContext client = open("bond-x", first, second);
                BondContext server = open("bond-y", third, fourth);
                RdmaListener listener = RdmaListener.listen(server, 0)) {
            TracePublisher.attach(client);
            SnapshotRecorder.attach(client, StateHistory.attach(client));
            try (RdmaConnection there = RdmaConnection.connect(client, listener.address());
                    RdmaConnection _ = listener.accept()) {
                there.awaitEstablished();
                first.setPortUp(false);
                second.setPortUp(false);
                assertThatThrownBy(() -> there.send("never arrives")).hasMessageContaining("RETRY_EXC_ERR");
                named = tool.awaitSnapshot("NO_PATH");
            }
        }
        assertThat(tool.run("snapshot", "show", named)).as(tool.all()).isZero();
        assertThat(tool.out())
                .containsPattern("object +qp:0x1\n")
                .containsPattern("code +VHCA-0001\n")
                .containsPattern("recovery +FAILED\n")
                // Where the port was noticed to be down before the post, no hardware has seen it.
                .containsPattern("#0 +(?:waits|at the hardware), SEND wr_id=0x\\w+, 13 bytes in 1 elements, signaled,"
                        + " recovery: (?:doubtful|post first)\n")
                .containsPattern("port state +DOWN\n")
                .containsPattern("recovery_timeout +3s\n")
                .contains("TRANSITION CONNECTED -> FENCING, PORT_ERR");
        final String file = files.directory().resolve(named).toString();
        assertThat(tool.run("decode", file, "--as", "html")).isZero();
        assertThat(tool.out()).startsWith("<!DOCTYPE html>").contains("<h2 id=\"s1\">queue pair</h2>");
        assertThat(tool.run("decode", file, "--as", "json", "--section", "send queue")).isZero();
        assertThat(tool.out()).contains("\"title\": \"send queue\"").doesNotContain("physical qpn");
        tool.awaitSnapshot("member errors-a");
        assertThat(tool.run("snapshot", "diff", named, named)).isZero();
        assertThat(tool.out()).isEqualTo("no difference\n");
        assertThat(tool.run("snapshot", "show", "no-such")).isEqualTo(3);
        assertThat(tool.run("snapshot", "show", "last")).isZero();
    }

    /** A request with a wrong key: its snapshot has the request, and the physical queue pair as hardware tells it. */
    @Test
    void aSnapshotOfTheApplicationsOwnErrorHasTheRequest() {
        try (BondContext client = open("bond-x", first, second);
                BondContext server = open("bond-y", third, fourth);
                RdmaListener listener = RdmaListener.listen(server, 0)) {
            SnapshotRecorder.attach(client, StateHistory.attach(client));
            try (RdmaConnection there = RdmaConnection.connect(client, listener.address());
                    RdmaConnection _ = listener.accept();
                    Arena arena = Arena.ofConfined()) {
                there.awaitEstablished();
                final SendWorkRequest wr = SendWorkRequest.allocate(arena, 1);
                wr.wrId(0xBAD).opcode(WrOpcode.SEND).sendFlags(SendFlags.SIGNALED).sge(4096, 8, 0x7777);
                assertThat(there.qp().postSend(wr)).isOne();
                final WorkCompletion wc = WorkCompletion.allocate(arena, 1);
                while (there.cq().poll(wc) == 0) {
                    Thread.yield();
                }
                tool.awaitSnapshot("VHCA-0120");
                assertThat(tool.out())
                        .containsPattern("why +a send completed with LOC_PROT_ERR")
                        .containsPattern("at the hardware, SEND wr_id=0xbad, 8 bytes in 1 elements, signaled")
                        .containsPattern("physical qpn +0x\\w+\n  state +ERR\n  sq_psn +\\d+\n");
            }
        }
    }

    /**
     * A queue pair for datagrams fails by a wrong key: its snapshot has the request, what its device said of it and how
     * full its completion queue was before, and what the kernel counts of a member that is the kernel's.
     */
    @Test
    void aSnapshotOfAQueuePairForDatagramsHasWhatDevicesSaidBefore(@TempDir final Path devices) throws IOException {
        final Path counters = Files.createDirectories(devices.resolve("errors-a/ports/1/hw_counters"));
        Files.writeString(counters.resolve("rcvd_pkts"), "4711\n");
        try (BondContext client = open("bond-x", first, second);
                DatagramEnd end = new DatagramEnd(client);
                AddressHandle itself = end.handleOf(Gid.of(SoftBonds.own(165)));
                Arena arena = Arena.ofConfined()) {
            SnapshotRecorder.attach(client, StateHistory.attach(client, devices));
            client.admin().set(List.of("state_interval=1ms"));
            final String before = "\ncounters of errors-a before, ";
            String shown = "";
            for (int i = 0; !shown.contains(before); i++) {
                // An error each time, until the thread that reads the kernel's files has come to it.
                end.qp.modify(new QpAttributes().qpState(QpState.RESET));
                end.bringUp();
                final SendWorkRequest wr = SendWorkRequest.allocate(arena, 1);
                wr.wrId(0xBAD + i).opcode(WrOpcode.SEND).sendFlags(SendFlags.SIGNALED).sge(4096, 8, 0x7777);
                wr.ud(itself.handle(), end.qp.qpNum(), DatagramEnd.QKEY);
                assertThat(end.qp.postSend(wr)).isOne();
                final WorkCompletion wc = WorkCompletion.allocate(arena, 1);
                while (end.cq.poll(wc) == 0) {
                    Thread.yield();
                }
                tool.awaitSnapshot("VHCA-0120");
                shown = tool.out();
            }
            assertThat(shown)
                    .containsPattern("why +a send completed with LOC_PROT_ERR")
                    .containsPattern("type +UD\n")
                    .containsPattern("\nqp:0x\\w+ before, \\S+\n  physical qpn +0x\\w+\n  state +RTS\n")
                    .containsPattern("\ncq:0x1 before, \\S+\n  cqe +\\d+\n")
                    .containsPattern(before + "\\S+\n  counters +cannot be read.*\n  rcvd_pkts +4711\n");
        }
    }

    /** The physical queue pair is gone when the last path is; what its device said of it before is in the snapshot. */
    @Test
    void aSnapshotHasWhatDevicesSaidBefore() {
        try (BondContext client = open("bond-x", first, second);
                BondContext server = open("bond-y", third, fourth);
                RdmaListener listener = RdmaListener.listen(server, 0)) {
            final StateHistory history = StateHistory.attach(client);
            SnapshotRecorder.attach(client, history);
            client.admin().set(List.of("state_interval=1ms"));
            try (RdmaConnection there = RdmaConnection.connect(client, listener.address());
                    RdmaConnection here = listener.accept()) {
                there.awaitEstablished();
                for (int i = 0; i < 50; i++) {
                    there.send("text");
                    assertThat(here.receiveText()).isEqualTo("text");
                }
                first.setPortUp(false);
                second.setPortUp(false);
                tool.awaitSnapshot("NO_PATH");
                assertThat(tool.out())
                        .containsPattern("\nqp:0x\\w+ before, \\S+\n  physical qpn +0x\\w+\n  state +\\w+\n")
                        .containsPattern("\nmember errors-a before, \\S+\n  up +true\n");
            }
        }
    }
}
