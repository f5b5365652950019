package io.vhca.disni;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.util.NativeAffinity;
import java.util.concurrent.FutureTask;
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

    @Test
    void aThreadKeepsToItsProcessor() throws Exception {
        final long all = in(0);
        assertThat(all).isNotZero();
        assertThat(in(Long.lowestOneBit(all))).isEqualTo(Long.lowestOneBit(all));
        assertThat(in(0)).as("other threads keep theirs").isEqualTo(all);
    }

    /** DaRPC's threads name the third processor, of whatever machine. */
    @Test
    void aMaskWithoutAProcessorChangesNothing() throws Exception {
        final long all = in(0);
        final long none = Long.MIN_VALUE >>> 1 & ~all;
        assertThat(none).as("a processor that this machine lacks").isPositive();
        assertThat(ThreadAffinity.set(none)).isFalse();
        assertThat(in(none)).isEqualTo(all);
    }
}
