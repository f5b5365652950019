package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.AccessFlags;
import io.vhca.api.CompletionQueue;
import io.vhca.api.MemoryRegion;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.bond.BondContext;
import io.vhca.bond.memory.MemoryKind;
import io.vhca.bond.memory.MemoryUse;
import io.vhca.examples.RdmaConnection;
import io.vhca.examples.RdmaListener;
import io.vhca.harness.cli.StatusFiles;
import io.vhca.harness.cli.Tool;
import io.vhca.physical.soft.SoftDevice;
import io.vhca.ras.snapshot.MemoryReport;
import io.vhca.ras.snapshot.SnapshotRecorder;
import io.vhca.ras.snapshot.StateHistory;
import io.vhca.ras.status.StatusPublisher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What uses memory is known by kind, owner and line, and what is left open is told when the bond is closed. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BondMemoryTest {
    private static final int BUFFER = 12_288;

    @RegisterExtension
    private final StatusFiles files = new StatusFiles();

    private final Tool tool = new Tool();
    private final SoftDevice first = SoftBonds.soft("memory-a", 171);
    private final SoftDevice second = SoftBonds.soft("memory-b", 172);
    private final SoftDevice third = SoftBonds.soft("memory-c", 173);
    private final SoftDevice fourth = SoftBonds.soft("memory-d", 174);

    private static void attach(final BondContext bond) {
        StatusPublisher.attach(bond, Map.of(
                "memory", () -> MemoryReport.write(bond, false),
                "memory mark", () -> MemoryReport.write(bond, true)));
    }

    private static long count(final BondContext bond, final MemoryKind kind, final String owner) {
        return bond.admin().memory().uses().stream()
                .filter(use -> use.kind() == kind && use.owner().equals(owner))
                .mapToLong(MemoryUse::count)
                .sum();
    }

    /** An application that forgets a region and a queue pair; its bond is closed all the same, and says which. */
    @Test
    void whatWasLeftOpenIsToldWithItsLineAndClosed() {
        try (BondContext bond = SoftBonds.open("bond-m", first, second)) {
            SnapshotRecorder.attach(bond, StateHistory.attach(bond));
            bond.admin().set(List.of("memory_trace=site", "leaks=report"));
            final ProtectionDomain pd = bond.allocPd();
            final CompletionQueue cq = bond.createCq(16, null, null);
            pd.createQp(QpInitAttributes.rc(cq, cq, new QpCapabilities(4, 4, 1, 1, 0)));
            pd.regMr(bond.allocateMemory(BUFFER), AccessFlags.LOCAL_WRITE);
        }
        assertThat(tool.run("snapshot", "show", "last")).as(tool.all()).isZero();
        assertThat(tool.out())
                .containsPattern("code +VHCA-0122\n")
                .containsPattern("why +it was closed with 4 objects that were left open\n")
                .containsPattern("qp bond-m qp 0x\\w+ made at \\S+BondMemoryTest\\.whatWasLeftOpen\\w+:\\d+\n")
                .containsPattern("mr bond-m mr 0x\\w+ made at \\S+BondMemoryTest\\.whatWasLeftOpen\\w+:\\d+\n");
        // Nothing of it is left at the devices either: they can be opened and closed again.
        SoftBonds.open("bond-m", first, second).close();
    }

    /** What was to be written had lost its directory by then. */
    @Test
    void whatWasLeftOpenIsToldWhereWhoClosesIsInterrupted() {
        final BondContext bond = SoftBonds.open("bond-m", first, second);
        SnapshotRecorder.attach(bond, StateHistory.attach(bond));
        bond.admin().set(List.of("leaks=report"));
        bond.allocPd();
        Thread.currentThread().interrupt();
        bond.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(tool.run("snapshot", "show", "last")).as(tool.all()).isZero();
        assertThat(tool.out()).containsPattern("why +it was closed with 1 objects that were left open\n");
    }

    @Test
    void byDefaultACloseIsRefusedAndNamesWhatIsOpen() {
        final BondContext bond = SoftBonds.open("bond-m", first, second);
        final ProtectionDomain pd = bond.allocPd();
        final MemoryRegion region = pd.regMr(bond.allocateMemory(BUFFER), AccessFlags.LOCAL_WRITE);
        assertThatThrownBy(bond::close).hasMessageContainingAll("closeDevice", "2 objects", "mr " + region, "pd ");
        region.close();
        pd.close();
        bond.close();
    }

    /** Whatever a connection, a failover and their end make, nothing of it stays. */
    @Test
    void whatIsClosedIsGone() {
        try (BondContext client = SoftBonds.open("bond-m", first, second);
                BondContext server = SoftBonds.open("bond-n", third, fourth);
                RdmaListener listener = RdmaListener.listen(server, 0)) {
            try (RdmaConnection there = RdmaConnection.connect(client, listener.address());
                    RdmaConnection here = listener.accept()) {
                there.awaitEstablished();
                assertThat(count(client, MemoryKind.QUEUE_PAIR, "application")).isOne();
                assertThat(count(client, MemoryKind.QUEUE_PAIR, "memory-a")).isPositive();
                first.setPortUp(false);
                there.send("over the other one");
                assertThat(here.receiveText()).isEqualTo("over the other one");
                assertThat(count(client, MemoryKind.QUEUE_PAIR, "memory-b")).isPositive();
            }
            for (final MemoryUse use : client.admin().memory().uses()) {
                assertThat(use.owner()).as(use.toString()).isNotEqualTo("application");
            }
        }
    }

    /** A name is bytes, of a longer one cut in the middle. */
    @Test
    void whatAProcessHasIsToldWhateverItsNameIs() throws IOException {
        final Path name = Path.of("/proc/self/comm");
        final byte[] before = Files.readAllBytes(name);
        try (BondContext bond = SoftBonds.open("bond-m", first, second)) {
            attach(bond);
            files.await(status -> status.name().equals("bond-m"));
            Files.write(name, new byte[] {'x', (byte) 0xc3});
            assertThat(tool.run("memory", "bond-m")).as(tool.all()).isZero();
        } finally {
            Files.write(name, before);
        }
    }

    @Test
    void theToolShowsTheLargestFirstAndWhatGrows() throws IOException {
        try (BondContext bond = SoftBonds.open("bond-m", first, second)) {
            attach(bond);
            files.await(status -> status.name().equals("bond-m"));
            bond.admin().set(List.of("memory_trace=site"));
            try (ProtectionDomain pd = bond.allocPd();
                    MemoryRegion _ = pd.regMr(bond.allocateMemory(BUFFER), AccessFlags.LOCAL_WRITE)) {
                assertThat(tool.run("memory", "bond-m", "--mark")).as(tool.all()).isZero();
                assertThat(tool.out())
                        .containsPattern("^bond-m, process \\d+: \\d+ bytes native, 12288 registered; .* mark: none\n")
                        .containsPattern("\nmr +application +1 +0 +12288 .*BondMemoryTest\\.theToolShows\\w+:\\d+\n")
                        .containsPattern("\nbuffer +application +1 +12288 +0 ")
                        .containsPattern("\nmr +memory-a +1 +0 +12288 ")
                        .containsPattern("(?s)12288.*\npd +application +1 +0 +0 ");
                try (MemoryRegion _ = pd.regMr(bond.allocateMemory(64), AccessFlags.LOCAL_WRITE)) {
                    assertThat(tool.run("memory", String.valueOf(ProcessHandle.current().pid()), "--grown")).isZero();
                    assertThat(tool.out())
                            .containsPattern("\nmr +memory-a +2 +0 +12352 +1 +64 ")
                            .containsPattern("\nmr +application +1 +0 +64 +1 +64 .*BondMemoryTest")
                            .doesNotContainPattern("\npd +application");
                }
            }
            assertThat(tool.run("memory", "bond-m", "-n", "1")).isZero();
            assertThat(tool.out().lines()).hasSize(4);
        }
        assertThat(tool.run("memory", "bond-m")).isEqualTo(3);
        assertThat(tool.run("memory", "1")).isEqualTo(3);
    }
}
