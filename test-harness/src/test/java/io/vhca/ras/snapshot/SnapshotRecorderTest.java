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
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How many snapshots are taken, by a clock of the test's. */
class SnapshotRecorderTest {
    @Test
    void noMoreThanSomeAreTakenInASecondAndTheNextOneSaysHowManyWereNot(@TempDir final Path parent)
            throws IOException {
        System.setProperty("vhca.null", "null0=127.0.3.1,null1=127.0.3.2");
        final Path directory = parent.resolve("snapshots");
        final BondConfig config = BondConfig.builder("bond-x").members(List.of("null0", "null1")).build();
        try (BondContext bond = new BondContext(
                new BondDevice(config), config, List.of(Devices.open("null0"), Devices.open("null1")), Journal.NONE,
                new SplittableRandom(1))) {
            final SnapshotRecorder recorder = new SnapshotRecorder(
                    bond, PrivateDirectory.create(directory, PosixFilePermissions.fromString("rwx------")),
                    StateHistory.attach(bond));
            recorder.onTurn(0);
            for (int i = 0; i < SnapshotRecorder.MOST_A_SECOND + 2; i++) {
                recorder.onLeaks(List.of("x"));
            }
            recorder.onTurn(TimeUnit.SECONDS.toNanos(1));
            recorder.onLeaks(List.of("x"));
            recorder.close();
        }
        try (Stream<Path> files = Files.list(directory)) {
            final List<Path> taken = files.filter(file -> file.toString().endsWith(".snapshot")).toList();
            assertThat(taken).hasSize(SnapshotRecorder.MOST_A_SECOND + 1);
            assertThat(taken.stream().filter(file -> leftOut(file).equals("left out before it = 2"))).hasSize(1);
            assertThat(taken.stream().filter(file -> leftOut(file).equals("left out before it = 0")))
                    .hasSize(SnapshotRecorder.MOST_A_SECOND);
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
