package io.vhca.tool.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.ras.status.StatusReader;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

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
}
