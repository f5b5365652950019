package io.vhca.bond.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.RecvWorkRequest;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SharedSlotsTest {
    private final Arena arena = Arena.ofConfined();
    private final SharedSlots slots = new SharedSlots("bond0", 1, 4, 1, new SpinGate() {}, () -> {
        throw new AssertionError("nobody wrote beyond them");
    });
    private final SharedSlots.Holder first = new SharedSlots.Holder();
    private final SharedSlots.Holder second = new SharedSlots.Holder();

    @AfterEach
    void free() {
        slots.close();
        arena.close();
    }

    private int given(final SharedSlots.Holder to) {
        final int index = slots.firstWaiting();
        slots.give(to);
        return index;
    }

    /** Who has found a completion of hardware that is gone may lose the processor before it completes the receive. */
    @Test
    void whatWasTakenBackIsCompletedByWhoHasItNow() {
        slots.post(RecvWorkRequest.allocate(arena, 1).numSge(0).address(), 0);
        final int index = given(first);
        slots.comeBack(first);
        assertThat(slots.complete(index, first)).as("it waits").isFalse();
        assertThat(given(second)).isEqualTo(index);
        assertThat(slots.complete(index, first)).as("another has it").isFalse();
        slots.comeBack(index, first);
        assertThat(slots.waiting()).as("it is not given out twice").isZero();
        assertThat(second.outstanding()).isEqualTo(1);
        assertThat(slots.complete(index, second)).isTrue();
        assertThat(slots.complete(index, second)).as("once").isFalse();
        assertThat(slots.count()).isZero();
    }
}
