package io.vhca.harness.sim.core;

import java.util.function.Function;

/** One thing of each side. */
public record PerSide<T>(T left, T right) {
    /** The same of both. */
    public static <T> PerSide<T> both(final T one) {
        return new PerSide<>(one, one);
    }

    /** Made for each, left first. */
    public static <T> PerSide<T> each(final Function<Side, T> make) {
        final T ofLeft = make.apply(Side.LEFT);
        return new PerSide<>(ofLeft, make.apply(Side.RIGHT));
    }

    public T of(final Side side) {
        return side == Side.LEFT ? left : right;
    }

    @Override
    public String toString() {
        return left + "+" + right;
    }
}
