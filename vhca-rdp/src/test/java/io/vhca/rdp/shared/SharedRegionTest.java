package io.vhca.rdp.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.vhca.rdp.unix.Futex;
import io.vhca.rdp.unix.MemoryFile;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The words by which the two ends of shared memory wake each other. */
class SharedRegionTest {
    private static final int RING = 1 << 16;
    private static final int SLEEPS = 200;
    /** Nobody sleeps that long but where he is not woken. */
    private static final long LONG_NS = TimeUnit.MINUTES.toNanos(5);

    private static final long PATIENCE_MS = 120_000;

    private MemoryFile file;
    private SharedRegion driver;
    private SharedRegion client;

    @BeforeEach
    void map() throws IOException {
        file = MemoryFile.create("region-test", RegionDescriptor.size(RING));
        driver = SharedRegion.create(file, RING);
        client = SharedRegion.open(file, RING);
    }

    @AfterEach
    void close() throws IOException {
        file.close();
    }

    @Test
    void whoeverIsWokenByAByteIsToldOnce() {
        assertThat(driver.wakeClient()).isFalse();
        client.clientSleeps(RegionDescriptor.BY_BYTE);
        assertThat(driver.wakeClient()).isTrue();
        assertThat(driver.wakeClient()).isFalse();

        assertThat(client.mustWakeDriver()).isFalse();
        driver.driverSleeps();
        assertThat(client.mustWakeDriver()).isTrue();
        assertThat(client.mustWakeDriver()).isFalse();
        driver.driverSleeps();
        driver.driverIsAwake();
        assertThat(client.mustWakeDriver()).isFalse();
    }

    @Test
    void whoeverAllowsLongerDatagramsHasNoSmallerRings() {
        assertThat(RegionDescriptor.ringBytes(1 << 30)).isEqualTo(1 << 26);
        assertThat(RegionDescriptor.ringBytes(Integer.MAX_VALUE)).isEqualTo(1 << 26);
        assertThat(RegionDescriptor.ringBytes(1)).isEqualTo(1 << 16);
    }

    @Test
    void aThreadThatSleepsByTheWordNeedsNoByte() {
        client.clientSleeps(RegionDescriptor.BY_WORD);
        assertThat(driver.wakeClient()).isFalse();
        client.clientSleeps(RegionDescriptor.BY_WORD);
        client.clientSleeps(RegionDescriptor.BY_BYTE);
        client.clientSleeps(RegionDescriptor.BY_WORD);
        assertThat(driver.wakeClient()).isTrue();
    }

    @Test
    @Timeout(value = PATIENCE_MS, unit = TimeUnit.MILLISECONDS)
    void aThreadThatSleepsByTheWordIsWokenByTheDriverItself() {
        assumeThat(Futex.IS_AVAILABLE).isTrue();
        final Thread sleeper = Thread.ofPlatform().daemon().start(() -> {
            for (int i = 0; i < SLEEPS; i++) {
                client.awaitDriver(client.clientSleeps(RegionDescriptor.BY_WORD), LONG_NS);
            }
        });
        // Woken before it sleeps or while it does: it goes on.
        while (sleeper.isAlive() && !Thread.currentThread().isInterrupted()) {
            driver.wakeClient();
            Thread.yield();
        }
        assertThat(sleeper.isAlive()).isFalse();
    }

    @Test
    void aThreadThatWasWokenBeforeItSleepsDoesNotSleep() throws InterruptedException {
        final Thread sleeper = Thread.ofPlatform().daemon().start(() -> {
            final int word = client.clientSleeps(RegionDescriptor.BY_WORD);
            driver.wakeClient();
            client.awaitDriver(word, LONG_NS);
        });
        sleeper.join(PATIENCE_MS);
        assertThat(sleeper.isAlive()).isFalse();
    }

    /** The word has the same bits then: they are another thread's. */
    @Test
    void norDoesItWhereAnotherThreadIsAboutToSleepMeanwhile() throws InterruptedException {
        final Thread sleeper = Thread.ofPlatform().daemon().start(() -> {
            final int word = client.clientSleeps(RegionDescriptor.BY_WORD);
            driver.wakeClient();
            client.clientSleeps(RegionDescriptor.BY_WORD);
            client.awaitDriver(word, LONG_NS);
        });
        sleeper.join(PATIENCE_MS);
        assertThat(sleeper.isAlive()).isFalse();
    }

    /** What a bad client writes there is a byte too many for it, and nothing else. */
    @Test
    void anyValueOfTheWordIsTakenAway() {
        final UnsafeBuffer memory = new UnsafeBuffer(file.map());
        for (final int value : new int[] {-1, 4, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
            memory.putIntVolatile(RegionDescriptor.CLIENT_SLEEPS_OFFSET, value);
            assertThat(driver.wakeClient()).isEqualTo((value & RegionDescriptor.BY_BYTE) != 0);
            assertThat(memory.getIntVolatile(RegionDescriptor.CLIENT_SLEEPS_OFFSET) & RegionDescriptor.HOWS).isZero();
        }
    }
}
