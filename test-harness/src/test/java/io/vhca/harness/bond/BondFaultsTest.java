package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.AccessFlags;
import io.vhca.api.MemoryRegion;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.WcStatus;
import io.vhca.api.WorkCompletion;
import io.vhca.api.WrOpcode;
import io.vhca.bond.BondContext;
import io.vhca.bond.config.AuthKeyFile;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.config.BondOption;
import io.vhca.examples.RdmaConnection;
import io.vhca.examples.RdmaListener;
import io.vhca.harness.cli.StatusFiles;
import io.vhca.harness.cli.Tool;
import io.vhca.physical.soft.SoftDevice;
import io.vhca.ras.snapshot.SnapshotRecorder;
import io.vhca.ras.snapshot.StateHistory;
import io.vhca.ras.status.StatusPublisher;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Faults made on purpose; what they leave names object, cause and time when the bond is closed. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BondFaultsTest {
    @RegisterExtension
    private final StatusFiles files = new StatusFiles();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private final Tool tool = new Tool();
    private final SoftDevice first = SoftBonds.soft("faults-a", 187);
    private final SoftDevice second = SoftBonds.soft("faults-b", 188);
    private final SoftDevice third = SoftBonds.soft("faults-c", 189);
    private final SoftDevice fourth = SoftBonds.soft("faults-d", 190);

    private static void snapshots(final BondContext bond) {
        SnapshotRecorder.attach(bond, StateHistory.attach(bond));
    }

    /** The snapshot that a bond of this test left, by what its line in the list has. */
    private String snapshot(final String what) {
        tool.awaitSnapshot(what);
        return tool.out();
    }

    @Test
    void aDeviceThatDiesIsNamed() {
        try (BondContext client = SoftBonds.open("bond-f", first, second);
                BondContext server = SoftBonds.open("bond-g", third, fourth);
                RdmaListener listener = RdmaListener.listen(server, 0)) {
            snapshots(client);
            try (RdmaConnection there = RdmaConnection.connect(client, listener.address());
                    RdmaConnection here = listener.accept()) {
                there.awaitEstablished();
                first.kill();
                there.send("over the other one");
                assertThat(here.receiveText()).isEqualTo("over the other one");
            }
        }
        assertThat(snapshot("has died"))
                .containsPattern("time +20\\d\\d-\\S+Z\n")
                .containsPattern("object +member faults-a\n")
                .containsPattern("why +has died, noticed by \\w+\n")
                .containsPattern("code +VHCA-0121\n");
    }

    @Test
    void aWrongRemoteKeyIsNamed() {
        try (BondContext client = SoftBonds.open("bond-f", first, second);
                BondContext server = SoftBonds.open("bond-g", third, fourth);
                RdmaListener listener = RdmaListener.listen(server, 0)) {
            snapshots(client);
            try (RdmaConnection there = RdmaConnection.connect(client, listener.address());
                    RdmaConnection here = listener.accept();
                    Arena arena = Arena.ofConfined();
                    MemoryRegion own = there.pd().regMr(arena.allocate(64, 64), AccessFlags.LOCAL_WRITE);
                    // Not for the peer to write to.
                    MemoryRegion target = here.pd().regMr(arena.allocate(64, 64), AccessFlags.LOCAL_WRITE)) {
                there.awaitEstablished();
                final SendWorkRequest wr = SendWorkRequest.allocate(arena, 1);
                wr.wrId(0x77).opcode(WrOpcode.RDMA_WRITE).sendFlags(SendFlags.SIGNALED)
                        .sge(own.addr(), 8, own.lkey())
                        .rdma(target.addr(), target.rkey());
                assertThat(there.qp().postSend(wr)).isOne();
                final WorkCompletion wc = WorkCompletion.allocate(arena, 1);
                while (there.cq().poll(wc) == 0) {
                    Thread.yield();
                }
                assertThat(wc.status()).isEqualTo(WcStatus.REM_ACCESS_ERR.code());
            }
        }
        assertThat(snapshot("VHCA-0120"))
                .containsPattern("object +qp:0x1\n")
                .containsPattern("why +a send completed with REM_ACCESS_ERR")
                .containsPattern("at the hardware, RDMA_WRITE wr_id=0x77, 8 bytes in 1 elements, signaled, remote 0x");
    }

    /** Who has no key cannot connect; the bond that refused has the sender in its error log. */
    @Test
    void aStrangerWithoutAKeyIsNamed() throws IOException {
        final Path key = directory.resolve("key");
        AuthKeyFile.create(key, new SplittableRandom(5));
        final Path left = directory.resolve("left.status");
        try (BondContext client = SoftBonds.open("bond-f", first, second);
                BondContext server = SoftBonds.open(
                        BondConfig.builder("bond-g")
                                .members(List.of(third.name(), fourth.name()))
                                .set(BondOption.AUTH_KEY_FILE, Optional.of(key.toString()))
                                .build(),
                        third, fourth);
                RdmaListener listener = RdmaListener.listen(server, 0)) {
            StatusPublisher.attach(server);
            assertThatThrownBy(() -> {
                try (RdmaConnection there = RdmaConnection.connect(client, listener.address())) {
                    there.awaitEstablished();
                }
            }).isInstanceOf(RuntimeException.class);
            files.await(status -> status.errors().stream().anyMatch(error -> error.text().startsWith("VHCA-0111")));
            Files.copy(files.directory().resolve("bond-g." + ProcessHandle.current().pid() + ".status"), left);
        }
        Files.copy(left, files.directory().resolve("bond-g.10000001.status"));
        assertThat(tool.run("errors", "bond-g")).as(tool.all()).isZero();
        assertThat(tool.out())
                .containsPattern("bond-g, process \\d+.*: .*at 20\\d\\d-")
                .containsPattern("VHCA-0111 .*127\\.\\d+\\.\\d+\\.18[78]")
                .contains("give the peer the key file");
    }
}
