package io.vhca.tool.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.ras.status.BondStatus;
import io.vhca.ras.status.StatusReader;
import io.vhca.tool.console.EnvironmentException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemberRemovalTest {
    private static final Path FILE = Path.of("bond0.7.status");
    private static final long LONG_NS = TimeUnit.HOURS.toNanos(1);

    /** A bond's thread that is stopped in the middle of a status goes on. */
    @Test
    void aFileThatIsBeingWrittenIsLookedAtAgain() throws InterruptedException {
        final AtomicInteger looks = new AtomicInteger();
        final String holder = MemberRemoval.await(file -> {
            if (looks.incrementAndGet() == 1) {
                throw new StatusReader.BeingWrittenException(file);
            }
            throw new NoSuchFileException(file.toString());
        }, FILE, "soft0", 0, LONG_NS);
        assertThat(holder).isEmpty();
        assertThat(looks).hasValue(2);
    }

    @Test
    void oneThatIsBeingWrittenUntilTheEndIsSaidToBe() throws InterruptedException {
        final String holder = MemberRemoval.await(file -> {
            throw new StatusReader.BeingWrittenException(file);
        }, FILE, "soft0", 0, 0);
        assertThat(holder).contains(FILE + " has been written to", "its process may be stopped");
    }

    /** Who looks was stopped after it had read the file. */
    @Test
    void aBondThatWasClosedSinceItWasReadHasNotEndedWithoutThat(@TempDir final Path directory) throws Exception {
        final BondStatus ended = new BondStatus(
                "bond0", 1L << 40, 0, "", 0, 0, "", "", "", "", 0, 0, 0, 0, List.of(), List.of(), 0, List.of(), 0,
                Map.of(), List.of(), List.of(), List.of());
        final Path file = Files.createFile(directory.resolve("bond0.7.status"));
        assertThatThrownBy(() -> MemberRemoval.await(read -> ended, file, "soft0", 0, LONG_NS))
                .isInstanceOf(EnvironmentException.class)
                .hasMessageContaining("has ended without closing bond0");
        assertThat(MemberRemoval.await(read -> {
            Files.delete(read);
            return ended;
        }, file, "soft0", 0, LONG_NS)).isEmpty();
    }
}
