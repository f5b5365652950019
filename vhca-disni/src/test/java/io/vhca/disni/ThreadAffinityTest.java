package io.vhca.disni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.ibm.disni.util.NativeAffinity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ThreadAffinityTest {
    /** In a thread of its own: what it sets goes with it. */
    private static long in(final long mask) throws Exception {
        final FutureTask<Long> task = new FutureTask<>(() -> {
            NativeAffinity.setAffinity(mask);
            return NativeAffinity.getAffinity();
        });
        Thread.ofPlatform().start(task);
        return task.get();
    }

    /** Of those that this process may use, as the kernel says. */
    private static int firstProcessor() throws IOException {
        final String list = "Cpus_allowed_list:";
        return Files.readAllLines(Path.of("/proc/thread-self/status")).stream()
                .filter(line -> line.startsWith(list))
                .map(line -> line.substring(list.length()).strip().split("[-,]")[0])
                .mapToInt(Integer::parseInt)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aThreadKeepsToItsProcessor() throws Exception {
        assumeThat(firstProcessor()).as("one that a mask of a positive long has").isLessThan(Long.SIZE - 1);
        final long all = in(0);
        assertThat(all & Long.MAX_VALUE).isNotZero();
        assertThat(in(Long.lowestOneBit(all))).isEqualTo(Long.lowestOneBit(all));
        assertThat(in(0)).as("other threads keep theirs").isEqualTo(all);
    }

    /** DaRPC's threads name the third processor, of whatever machine. */
    @Test
    void aMaskWithoutAProcessorChangesNothing() throws Exception {
        final long all = in(0);
        final OptionalInt lacking = IntStream.range(0, Long.SIZE - 1)
                .filter(processor -> (all >>> processor & 1) == 0)
                .filter(processor -> Files.notExists(Path.of("/sys/devices/system/cpu/cpu" + processor)))
                .max();
        assumeThat(lacking).as("a processor that this machine lacks").isPresent();
        final long none = 1L << lacking.getAsInt();
        assertThat(ThreadAffinity.set(none)).isFalse();
        assertThat(in(none)).isEqualTo(all);
    }
}
