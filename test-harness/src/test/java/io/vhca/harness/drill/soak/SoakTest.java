package io.vhca.harness.drill.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class SoakTest {
    private static final List<Measure> MEASURES =
            List.of(Measure.RESIDENT, Measure.DESCRIPTORS, Measure.THREADS, Measure.of("QPs"));
    private static final List<String> PROCESSES = List.of("sender", "receiver");

    /** The sender stays as it was first; the receiver is as it is later in the second half. */
    private static List<Soak.Sample> samples(final int seconds, final long[] first, final long[] later) {
        final List<Soak.Sample> samples = new ArrayList<>();
        for (int second = 30; second <= seconds; second += 30) {
            samples.add(new Soak.Sample(second, 0, first));
            samples.add(new Soak.Sample(second, 1, second < 1_800 ? first : later));
        }
        return samples;
    }

    @Test
    void whatGrowsIsNamed() {
        final long[] first = {120_000, 49, 16, 4};
        assertThat(Soak.growth(MEASURES, PROCESSES, samples(3_600, first, new long[] {131_000, 52, 19, 8}), 0))
                .as("within what connections that are being made need")
                .isEmpty();
        assertThat(Soak.growth(MEASURES, PROCESSES, samples(3_600, first, new long[] {133_000, 60, 21, 9}), 0))
                .containsExactly(
                        "resident KiB of the receiver grew from 120000.0 to 133000.0",
                        "file descriptors of the receiver grew from 49.0 to 60.0",
                        "threads of the receiver grew from 16.0 to 21.0",
                        "QPs of the receiver grew from 4.0 to 9.0");
    }

    @Test
    void aShortDrillIsLookedAtMoreOften() {
        assertThat(Soak.everySeconds(3_600)).isEqualTo(30);
        assertThat(Soak.everySeconds(121)).isEqualTo(30);
        assertThat(Soak.everySeconds(20)).isEqualTo(5);
        assertThat(Soak.everySeconds(1)).isEqualTo(1);
    }

    @Test
    void nothingIsSaidOfWhatWasTooShort() {
        final long[] any = {1, 1, 1, 1};
        assertThat(Soak.growth(MEASURES, PROCESSES, samples(1_410, any, any), 0)).isNull();
        assertThat(Soak.growth(MEASURES, PROCESSES, samples(1_440, any, any), 1_500)).isEmpty();
        assertThat(Soak.growth(MEASURES, PROCESSES, List.of(), 0)).isNull();
        final StringWriter text = new StringWriter();
        try (Soak soak = new Soak(MEASURES, PROCESSES, process -> null, 3_600, new PrintWriter(text))) {
            assertThat(soak.show(new PrintWriter(text), 1_499)).isTrue();
        }
        assertThat(text.toString()).contains("too short to tell").doesNotContain("nothing grew");
    }

    @Test
    void aLongDrillThatWasNotLookedAtToItsEndIsBad() {
        final long[] any = {1, 1, 1, 1};
        assertThat(Soak.growth(MEASURES, PROCESSES, samples(3_000, any, any), 3_600)).isEmpty();
        assertThat(Soak.growth(MEASURES, PROCESSES, samples(2_970, any, any), 3_600)).isNull();
        final StringWriter text = new StringWriter();
        try (Soak soak = new Soak(MEASURES, PROCESSES, process -> null, 3_600, new PrintWriter(text))) {
            assertThat(soak.show(new PrintWriter(text), 1_500)).isFalse();
        }
        assertThat(text.toString()).contains("FAILED, the processes were not looked at to the end");
    }

    @Test
    @Timeout(60)
    void aLookThatFailsDoesNotEndLooking() throws InterruptedException {
        final AtomicInteger looks = new AtomicInteger();
        final CountDownLatch again = new CountDownLatch(1);
        final StringWriter text = new StringWriter();
        final Soak.Look look = process -> {
            if (looks.getAndIncrement() == 0) {
                throw new NumberFormatException("a short line");
            }
            again.countDown();
            LockSupport.park(); // until it is closed
            return null;
        };
        try (Soak soak = new Soak(MEASURES, PROCESSES, look, 0, new PrintWriter(text))) {
            again.await();
            assertThat(soak.show(new PrintWriter(new StringWriter()), 0)).isTrue();
        }
        assertThat(text.toString()).contains("no look at the sender", "a short line");
    }

    @Test
    void theTableHasALineEveryFiveMinutesAndTheLast() {
        final String table = Soak.table(
                MEASURES, PROCESSES, samples(960, new long[] {2_048, 49, 16, 4}, new long[] {2_048, 49, 16, 4}));
        final List<String> rows = table.lines().filter(line -> line.contains("receiver")).toList();
        assertThat(rows).hasSize(5);
        assertThat(rows.getFirst()).contains("2.0", "49", "16", "4");
        assertThat(rows.getLast().strip()).startsWith("16");
        assertThat(table.lines().filter(line -> line.contains("sender")).toList()).hasSize(5);
    }

    @Test
    void aProcessIsReadAsLinuxShowsIt(@TempDir final Path process) throws Exception {
        Files.writeString(process.resolve("status"), "Name:\tjava\nVmRSS:\t  120000 kB\nThreads:\t16\n");
        Files.createDirectory(process.resolve("fd"));
        Files.createFile(process.resolve("fd").resolve("0"));
        Files.createFile(process.resolve("fd").resolve("1"));
        assertThat(ProcessLook.at(process)).containsExactly(120_000, 2, 16);
        Files.writeString(process.resolve("status"), "Name:\tjava\nThreads:\t16\n");
        assertThat(ProcessLook.at(process)).as("a zombie has no memory").isNull();
        assertThat(ProcessLook.at(process.resolve("gone"))).isNull();
        assertThat(new ProcessLook(number -> null).at(0)).isNull();
    }
}
