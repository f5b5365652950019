package io.vhca.rdp.unix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who sleeps at a word of shared memory is woken from another mapping of it, as another process has one. */
class FutexTest {
    private static final int BYTES = 4_096;
    private static final int WORD = 64;
    /** Nobody sleeps that long but where he is not woken. */
    private static final long LONG_NS = TimeUnit.MINUTES.toNanos(5);

    private static final long PATIENCE_MS = 120_000;

    @Test
    @Timeout(value = PATIENCE_MS, unit = TimeUnit.MILLISECONDS)
    void sleeperIsWokenFromAnotherMapping() throws IOException, InterruptedException {
        assumeThat(Futex.IS_AVAILABLE).isTrue();
        try (MemoryFile file = MemoryFile.create("futex-test", BYTES);
                FileChannel channel = FileChannel.open(
                        Path.of("/proc/self/fd/" + file.descriptor()),
                        StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            final UnsafeBuffer own = new UnsafeBuffer(file.map());
            final UnsafeBuffer other = new UnsafeBuffer(channel.map(FileChannel.MapMode.READ_WRITE, 0, BYTES));
            assertThat(other.addressOffset()).isNotEqualTo(own.addressOffset());
            own.putIntVolatile(WORD, 1);
            final Thread sleeper = Thread.ofPlatform().daemon().start(() -> {
                while (own.getIntVolatile(WORD) == 1) {
                    Futex.await(own.addressOffset() + WORD, 1, LONG_NS);
                }
            });
            while (Futex.wakeAll(other.addressOffset() + WORD) == 0 && !Thread.currentThread().isInterrupted()) {
                Thread.yield(); // it does not sleep yet
            }
            other.putIntVolatile(WORD, 0);
            Futex.wakeAll(other.addressOffset() + WORD);
            sleeper.join(PATIENCE_MS);
            assertThat(sleeper.isAlive()).isFalse();
        }
    }

    @Test
    void nobodySleepsAtAWordThatHasAnotherValueOrForNoTime() throws InterruptedException {
        assumeThat(Futex.IS_AVAILABLE).isTrue();
        final UnsafeBuffer word = new UnsafeBuffer(ByteBuffer.allocateDirect(WORD));
        final Thread sleeper = Thread.ofPlatform().daemon().start(() -> {
            Futex.await(word.addressOffset(), 1, LONG_NS);
            Futex.await(word.addressOffset(), 0, 0);
            Futex.await(word.addressOffset(), 0, 1);
        });
        sleeper.join(PATIENCE_MS);
        assertThat(sleeper.isAlive()).isFalse();
    }

    @Test
    void memoryThatIsNotThereIsLeftAlone() {
        assumeThat(Futex.IS_AVAILABLE).isTrue();
        assertThat(Futex.wakeAll(8)).isNegative();
    }

    @Test
    void otherSystemsHaveNone() {
        assertThat(Futex.numberOf("Linux", "amd64")).isEqualTo(202);
        assertThat(Futex.numberOf("Linux", "aarch64")).isEqualTo(98);
        assertThat(Futex.numberOf("Linux", "s390x")).isEqualTo(-1);
        assertThat(Futex.numberOf("Mac OS X", "aarch64")).isEqualTo(-1);
    }
}
