package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.BondContext;
import io.vhca.harness.cli.StatusFiles;
import io.vhca.harness.cli.Tool;
import io.vhca.physical.soft.SoftDevice;
import io.vhca.ras.status.StatusPublisher;
import io.vhca.ras.trace.TraceFiles;
import io.vhca.ras.trace.TracePublisher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Commands that print again and again end when nobody reads any more, as behind {@code | head}. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClosedOutputTest {
    @RegisterExtension
    private final StatusFiles files = new StatusFiles();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private final Tool tool = new Tool();

    @Test
    void whoWatchesABondEnds() throws IOException {
        final SoftDevice first = SoftBonds.soft("closed-a", 241);
        final SoftDevice second = SoftBonds.soft("closed-b", 242);
        try (BondContext bond = SoftBonds.open("bond-q", first, second)) {
            TracePublisher.attach(bond);
            StatusPublisher.attach(bond);
            files.await(status -> status.name().equals("bond-q"));
            assertThat(tool.runWithoutReader("status", "--watch")).as(tool.err()).isZero();
            assertThat(tool.runWithoutReader("trace", "follow")).as(tool.err()).isZero();
        }
    }

    @Test
    void whoWatchesABondThatIsClosedWaitsForTheNext() throws InterruptedException, IOException {
        final SoftDevice first = SoftBonds.soft("closed-a", 241);
        final SoftDevice second = SoftBonds.soft("closed-b", 242);
        final Tool watching = new Tool();
        final Thread watch;
        try (BondContext bond = SoftBonds.open("bond-q", first, second)) {
            StatusPublisher.attach(bond);
            files.await(status -> status.name().equals("bond-q"));
            watch = Thread.ofPlatform().start(() -> watching.run("status", "--watch"));
            awaitLines(watch, watching, "bond-q", 1);
        }
        awaitLines(watch, watching, "no bond is open\n", 1);
        final int shown = count(watching, "bond-q");
        try (BondContext bond = SoftBonds.open("bond-q", first, second)) {
            StatusPublisher.attach(bond);
            awaitLines(watch, watching, "bond-q", shown + 1);
        }
        watch.interrupt();
        watch.join();
    }

    /** The last records are there when the file is gone. Nobody follows what a process has left that was killed. */
    @Test
    void whoFollowsATraceSeesTheLastOfItAndEnds() throws InterruptedException, IOException {
        final SoftDevice first = SoftBonds.soft("closed-a", 241);
        final SoftDevice second = SoftBonds.soft("closed-b", 242);
        final Tool following = new Tool();
        final AtomicInteger code = new AtomicInteger(-1);
        final Thread follow;
        try (BondContext bond = SoftBonds.open("bond-q", first, second)) {
            TracePublisher.attach(bond);
            final Path left = files.directory().resolve("bond-q.999999999.trace");
            Files.copy(TraceFiles.find("bond-q", 0).getLast(), left);
            Files.setLastModifiedTime(left, FileTime.fromMillis(Long.MAX_VALUE >> 20));
            follow = Thread.ofPlatform().start(() -> code.set(following.run("trace", "follow", "bond-q")));
            while (count(following, "cq:") == 0) {
                assertThat(follow.isAlive()).as(following.all()).isTrue();
                bond.createCq(1, null, null).close();
                Thread.yield();
            }
            bond.createCq(77, null, null).close();
        }
        follow.join();
        assertThat(code).as(following.all()).hasValue(0);
        assertThat(following.out()).contains("77 entries");
        assertThat(tool.run("trace", "follow", "bond-q")).as("what a process has left that ended").isZero();
    }

    private static int count(final Tool tool, final String words) {
        return tool.out().split(Pattern.quote(words), -1).length - 1;
    }

    private static void awaitLines(final Thread watch, final Tool tool, final String words, final int times) {
        while (count(tool, words) < times) {
            assertThat(watch.isAlive()).as(tool.all()).isTrue();
            Thread.yield();
        }
    }

    @Test
    void whoGuardsDevicesEnds() throws IOException {
        final Path config = Files.writeString(directory.resolve("guard.conf"), "dry_run = true\n");
        Files.setPosixFilePermissions(config, PosixFilePermissions.fromString("rw-------"));
        assertThat(tool.runWithoutReader("guard", "--config", config.toString())).as(tool.err()).isZero();
    }
}
