package io.vhca.harness.fuzz;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Damages a file in place, a little or badly, and mends it again: bytes and words of all kinds where something is
 * written, parts copied elsewhere, the end cut off. All of it follows from one seed.
 */
final class FileMutator implements AutoCloseable {
    private static final int MOST_DAMAGES = 4;
    private static final int LONGEST_PART = 512;
    private static final long[] WORDS = {
        0, 1, -1, 0x7f, 0x80, 0xff, 0x100, Short.MAX_VALUE, Integer.MAX_VALUE, Integer.MIN_VALUE, 1 << 30, 0xC000_0000L,
        Long.MAX_VALUE, Long.MIN_VALUE
    };

    private final FileChannel file;
    private final byte[] good;
    private final int[] written;
    private final SplittableRandom random;
    /** What has been written to, from here to there. */
    private int low = Integer.MAX_VALUE;
    private int high;

    FileMutator(final Path path, final long seed) throws IOException {
        good = Files.readAllBytes(path);
        written = IntStream.range(0, good.length).filter(i -> good[i] != 0).toArray();
        file = FileChannel.open(path, StandardOpenOption.WRITE);
        random = new SplittableRandom(seed);
    }

    /** Damages the good file. */
    void damage() throws IOException {
        final int damages = 1 + random.nextInt(MOST_DAMAGES);
        for (int i = 0; i < damages; i++) {
            final int at = place();
            switch (random.nextInt(8)) {
                case 0 -> put(at, new byte[] {(byte) random.nextInt()});
                case 1 -> put(at, new byte[] {(byte) (good[at] ^ 1 << random.nextInt(Byte.SIZE))});
                case 2, 3 -> put(at & -Integer.BYTES, word(Integer.BYTES));
                case 4 -> put(at & -Long.BYTES, word(Long.BYTES));
                case 5 -> {
                    final int from = place();
                    put(at, Arrays.copyOfRange(good, from, Math.min(good.length, from + part())));
                }
                case 6 -> {
                    final byte[] noise = new byte[part()];
                    for (int j = 0; j < noise.length; j++) {
                        noise[j] = (byte) random.nextInt();
                    }
                    put(at, noise);
                }
                default -> {
                    if (random.nextInt(16) == 0) {
                        file.truncate(at);
                        // Also where a later damage makes it as long again.
                        low = Math.min(low, at);
                        high = good.length;
                    }
                }
            }
        }
    }

    /** Mostly where something is, or close to it. */
    private int place() {
        return random.nextInt(8) == 0
                ? random.nextInt(good.length)
                : Math.min(good.length - 1, written[random.nextInt(written.length)] + random.nextInt(8));
    }

    private int part() {
        return 1 + random.nextInt(LONGEST_PART);
    }

    private byte[] word(final int bytes) {
        final long value = random.nextBoolean() ? WORDS[random.nextInt(WORDS.length)] : random.nextLong();
        return Arrays.copyOf(
                ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(value).array(), bytes);
    }

    private void put(final int at, final byte[] bytes) throws IOException {
        final int length = Math.min(bytes.length, good.length - at);
        file.write(ByteBuffer.wrap(bytes, 0, length), at);
        low = Math.min(low, at);
        high = Math.max(high, at + length);
    }

    /** As it was. */
    void mend() throws IOException {
        if (file.size() < good.length) {
            low = (int) Math.min(low, file.size());
            high = good.length;
        }
        if (low < high) {
            file.write(ByteBuffer.wrap(good, low, high - low), low);
        }
        low = Integer.MAX_VALUE;
        high = 0;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
