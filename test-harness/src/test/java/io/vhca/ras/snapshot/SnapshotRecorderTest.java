package io.vhca.ras.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Devices;
import io.vhca.bond.BondContext;
import io.vhca.bond.BondDevice;
import io.vhca.bond.config.BondConfig;
import io.vhca.ras.file.PrivateDirectory;
import io.vhca.recovery.Journal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How many snapshots are taken, by a clock of the test's. */
class SnapshotRecorderTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path parent;

    @Test
    void noMoreThanSomeAreTakenInASecondAndTheNextOneSaysHowManyWereNot() throws IOException {
        try (BondContext bond = open()) {
            final SnapshotRecorder recorder =
                    new SnapshotRecorder(bond, directory(), StateHistory.attach(bond));
            recorder.onTurn(0);
            for (int i = 0; i < SnapshotRecorder.MOST_A_SECOND + 2; i++) {
                recorder.onLeaks(List.of("x"));
            }
            recorder.onTurn(TimeUnit.SECONDS.toNanos(1));
            recorder.onLeaks(List.of("x"));
            recorder.close();
        }
        final List<Path> taken = taken();
        assertThat(taken).hasSize(SnapshotRecorder.MOST_A_SECOND + 1);
        assertThat(taken.stream().filter(file -> leftOut(file).equals("left out before it = 2"))).hasSize(1);
        assertThat(taken.stream().filter(file -> leftOut(file).equals("left out before it = 0")))
                .hasSize(SnapshotRecorder.MOST_A_SECOND);
    }

    /** As on a host that has no processor for it: those of a close with leaks had been thrown away. */
    @Test
    void whatTheWriterHasNotWrittenWhenTheCloseWaitsNoMoreIsWrittenAfterwards() throws Exception {
        final CountDownLatch held = new CountDownLatch(1);
        final ExecutorService writer = Executors.newSingleThreadExecutor();
        writer.submit(() -> {
            held.await();
            return null;
        });
        try (BondContext bond = open()) {
            final SnapshotRecorder recorder =
                    new SnapshotRecorder(bond, directory(), StateHistory.attach(bond), writer, 0);
            recorder.onTurn(0);
            recorder.onLeaks(List.of("x"));
            recorder.onLeaks(List.of("y"));
            recorder.close();
            assertThat(taken()).isEmpty();
        } finally {
            held.countDown();
            writer.close();
        }
        assertThat(taken()).hasSize(2);
    }

    private static BondContext open() throws IOException {
        System.setProperty("vhca.null", "null0=127.0.3.1,null1=127.0.3.2");
        final BondConfig config = BondConfig.builder("bond-x").members(List.of("null0", "null1")).build();
        return new BondContext(
                new BondDevice(config), config, List.of(Devices.open("null0"), Devices.open("null1")), Journal.NONE,
                new SplittableRandom(1));
    }

    private PrivateDirectory directory() throws IOException {
        return PrivateDirectory.create(
                parent.resolve("snapshots"), PosixFilePermissions.fromString("rwx------"));
    }

    private List<Path> taken() throws IOException {
        try (Stream<Path> files = Files.list(parent.resolve("snapshots"))) {
            return files.filter(file -> file.toString().endsWith(".snapshot")).toList();
        }
    }

    private static String leftOut(final Path snapshot) {
        try (Stream<String> lines = Files.lines(snapshot)) {
            return lines.filter(line -> line.startsWith("left out")).findFirst().orElse("");
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
