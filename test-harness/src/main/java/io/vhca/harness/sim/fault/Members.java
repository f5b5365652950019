package io.vhca.harness.sim.fault;

import io.vhca.harness.sim.core.Side;
import java.util.function.IntConsumer;

/**
 * Members of one side.
 *
 * @param first index of the first
 * @param count how many
 */
public record Members(Side side, int first, int count) {
    public static Members one(final Side side, final int member) {
        return new Members(side, member, 1);
    }

    /** All those of a side. */
    public static Members all(final Side side, final int count) {
        return new Members(side, 0, count);
    }

    public boolean contains(final Side ofSide, final int member) {
        return side == ofSide && member >= first && member < first + count;
    }

    public void forEach(final IntConsumer action) {
        for (int member = first; member < first + count; member++) {
            action.accept(member);
        }
    }

    @Override
    public String toString() {
        return side.label() + " " + first + (count == 1 ? "" : " to " + (first + count - 1));
    }
}
