package io.vhca.tool.users;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes and devices of a host that is made up. */
class DeviceHoldersTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path root;

    private Path proc() {
        return root.resolve("proc");
    }

    private Path sys() {
        return root.resolve("sys");
    }

    private void device(final String node, final String name) throws IOException {
        final Path own = Files.createDirectories(sys().resolve("class/infiniband_verbs").resolve(node));
        Files.writeString(own.resolve("ibdev"), name + "\n");
    }

    private void process(final int pid, final String program, final String... open) throws IOException {
        final Path own = proc().resolve(String.valueOf(pid));
        Files.createDirectories(own.resolve("fd"));
        Files.writeString(own.resolve("comm"), program + "\n");
        for (int i = 0; i < open.length; i++) {
            Files.createSymbolicLink(own.resolve("fd").resolve(String.valueOf(i)), Path.of(open[i]));
        }
        Files.setLastModifiedTime(own, FileTime.fromMillis(pid * 1_000L));
    }

    @BeforeEach
    void aHostWithTwoDevices() throws IOException {
        device("uverbs0", "rxe0");
        device("uverbs1", "rxe1");
        process(30, "java", "/dev/null", "/dev/infiniband/uverbs1", "/dev/infiniband/uverbs1");
        process(20, "ib_send_bw", "/dev/infiniband/uverbs1", "socket:[77]");
        process(10, "other", "/dev/infiniband/uverbs0");
        process(40, "bash", "/dev/pts/0");
        Files.createDirectories(proc().resolve("5")); // ends: it has no open files any more
        Files.createDirectories(proc().resolve("sys"));
    }

    @Test
    void whoHasTheDeviceOpenIsFound() throws IOException {
        final DeviceHolders holders = DeviceHolders.find(proc(), sys(), "rxe1");
        assertThat(holders.processes())
                .containsExactly(
                        new DeviceHolders.Process(20, "ib_send_bw", List.of("uverbs1"), 20_000),
                        new DeviceHolders.Process(30, "java", List.of("uverbs1", "uverbs1"), 30_000));
        assertThat(holders.unseen()).isZero();
    }

    @Test
    void whoHasADeviceOpenThatIsBeingRemovedIsFound() throws IOException {
        process(50, "rping", "/dev/infiniband/uverbs7 (deleted)", "/dev/infiniband/rdma_cm");
        process(60, "late", "/dev/infiniband/uverbs9");
        process(70, "again", "/dev/infiniband/uverbs1 (deleted)");
        assertThat(DeviceHolders.ofRemoved(proc(), sys()).processes())
                .containsExactly(
                        new DeviceHolders.Process(50, "rping", List.of("uverbs7"), 50_000),
                        new DeviceHolders.Process(60, "late", List.of("uverbs9"), 60_000),
                        new DeviceHolders.Process(70, "again", List.of("uverbs1"), 70_000));
        assertThat(DeviceHolders.devices(sys()))
                .containsExactly(Map.entry("uverbs0", "rxe0"), Map.entry("uverbs1", "rxe1"));
    }

    /** Its file fails when it is read, and is not there: a link to itself does that too. */
    @Test
    void aDeviceThatIsRemovedWhileItIsReadIsPassedOver() throws IOException {
        final Path own = Files.createDirectories(sys().resolve("class/infiniband_verbs/uverbs2"));
        Files.createSymbolicLink(own.resolve("ibdev"), Path.of("ibdev"));
        assertThat(DeviceHolders.devices(sys()))
                .containsExactly(Map.entry("uverbs0", "rxe0"), Map.entry("uverbs1", "rxe1"));
    }

    /** Who has it open does not keep a removed one. */
    @Test
    void aDeviceThatIsThereAndCannotBeReadIsNotLeftOut() throws IOException {
        Files.createDirectories(sys().resolve("class/infiniband_verbs/uverbs2/ibdev"));
        assertThatThrownBy(() -> DeviceHolders.ofRemoved(proc(), sys())).isInstanceOf(IOException.class);
    }

    /** A process gives itself any 15 bytes for a name, and is not to vanish by that, nor to write lines of its own. */
    @Test
    void whoseNameIsNoTextIsFound() throws IOException {
        process(50, "", "/dev/infiniband/uverbs0");
        process(60, "a\n\u001b[2J", "/dev/infiniband/uverbs0");
        Files.write(proc().resolve("50/comm"), new byte[] {'r', (byte) 0xFF, '\n'});
        assertThat(DeviceHolders.find(proc(), sys(), "rxe0").processes())
                .extracting(DeviceHolders.Process::program)
                .containsExactly("other", "r\uFFFD", "a??[2J");
    }

    @Test
    void nobodyHoldsADeviceThatTheKernelDoesNotKnow() throws IOException {
        assertThat(DeviceHolders.find(proc(), sys(), "soft0").processes()).isEmpty();
        assertThat(DeviceHolders.find(proc(), root.resolve("none"), "rxe0").processes()).isEmpty();
    }
}
