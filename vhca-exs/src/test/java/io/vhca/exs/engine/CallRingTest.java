package io.vhca.exs.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** How many calls a ring makes, and that they stay the same ones while it grows. */
final class CallRingTest {
    private static final int CAPACITY = 64;

    private final CallRing ring = new CallRing(CAPACITY);

    private Call add() {
        final Call call = ring.next();
        ring.add();
        return call;
    }

    @Test
    void asManyAreMadeAsAreOutstanding() {
        final Set<Call> made = Collections.newSetFromMap(new IdentityHashMap<>());
        for (int i = 0; i < 10 * CAPACITY; i++) {
            made.add(add());
            if (i >= 2) {
                ring.remove();
            }
        }
        assertThat(made).as("calls, of which three are outstanding").hasSizeBetween(3, 4);
    }

    @Test
    void growsInTheMiddleOfThemAndKeepsEach() {
        for (int i = 0; i < 3; i++) {
            add();
            ring.remove();
        }
        final List<Call> outstanding = new ArrayList<>();
        while (!ring.isFull()) {
            outstanding.add(add());
        }
        assertThat(outstanding).hasSize(CAPACITY);
        for (int i = 0; i < CAPACITY; i++) {
            final Call call = ring.at(ring.head());
            assertThat(call).isSameAs(outstanding.get(i));
            assertThat(call.sequence()).isEqualTo(3 + i);
            ring.remove();
        }
        assertThat(ring.isEmpty()).isTrue();
    }
}
