package io.vhca.harness.drill.protocol;

import java.util.SplittableRandom;

/** Payload sizes of the drill's messages, drawn from a seed: evenly over the powers of two up to the largest. */
public final class MessageSizes {
    private final SplittableRandom random;
    private final int maxBytes;
    private final int powers;

    public MessageSizes(final long seed, final int maxBytes) {
        random = new SplittableRandom(seed);
        this.maxBytes = maxBytes;
        powers = Integer.SIZE - Integer.numberOfLeadingZeros(maxBytes);
    }

    /** 1 .. maxBytes, and never more than what is left. */
    public int next(final long leftBytes) {
        // Half of the messages draw from the three largest powers of two, else tiny ones would make up nearly all.
        final int power =
                random.nextBoolean() ? powers - 1 - random.nextInt(Math.min(3, powers)) : random.nextInt(powers);
        final int low = 1 << power;
        final int drawn = low + random.nextInt(low);
        return (int) Math.min(leftBytes, Math.min(drawn, maxBytes));
    }
}
