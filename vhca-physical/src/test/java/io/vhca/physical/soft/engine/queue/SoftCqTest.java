package io.vhca.physical.soft.engine.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.WcDescriptor;
import io.vhca.physical.soft.engine.core.FakeCore;
import io.vhca.physical.soft.engine.core.UseCount;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who polls drives the engine, and what it sends may wait for him only as long as he comes back. */
class SoftCqTest {
    private final FakeCore core = new FakeCore();
    private final SoftCq cq = new SoftCq(core, new UseCount(core), null, 8, null, null);
    private final Arena arena = Arena.ofConfined();
    private final long wc = arena.allocate(4L * WcDescriptor.SIZE, 8).address();

    @AfterEach
    void free() {
        cq.close();
        arena.close();
    }

    private void completes(final int count) {
        core.duty = () -> {
            for (int i = 0; i < count; i++) {
                cq.push(i, 0, 0, 0, 0, 1, 0, 0, false);
            }
        };
    }

    @Test
    void aPollThatFindsSomethingLeavesAnswersForTheNextOne() {
        completes(3);
        assertThat(cq.poll(wc, 4)).isEqualTo(3);
        assertThat(core.drives).containsExactly("hold");
    }

    @Test
    void aPollThatFindsNothingSendsWhatWasHeld() {
        assertThat(cq.poll(wc, 4)).isZero();
        assertThat(core.drives).containsExactly("hold", "send");
    }

    @Test
    void whoWaitsForAnEventNextHoldsNothing() {
        cq.reqNotify(false);
        assertThat(cq.poll(wc, 4)).isZero();
        completes(1);
        assertThat(cq.poll(wc, 4)).isEqualTo(1);
        assertThat(core.drives).doesNotContain("hold").startsWith("run");
    }

    @Test
    void whatIsThereIsTakenWithoutTheEngine() {
        completes(4);
        assertThat(cq.poll(wc, 1)).isEqualTo(1);
        core.drives.clear();
        assertThat(cq.poll(wc, 2)).isEqualTo(2);
        assertThat(core.drives).isEmpty();
    }
}
