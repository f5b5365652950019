package io.vhca.bond.memory;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The native memory of one object, allocated in one piece: its parts, each with a marker before and behind it
 * ({@link MarkerDescriptor}). Whoever writes beyond a part breaks a marker, and that is seen before anything that may
 * be garbage is operated on.
 *
 * <pre>
 *   | vSQ 000012 BEGIN | slots ... | vSQ 000012 END | vRQ 000012 BEGIN | slots ... | vRQ 000012 END |
 * </pre>
 *
 * <p>Any thread may look whether it is whole; its owner makes the parts and frees it.
 */
public final class NativeBlock implements AutoCloseable {
    /** What a marker takes: a line of the cache. */
    private static final int LINE = MarkerDescriptor.SIZE;

    private final Arena arena = Arena.ofShared();
    private final String owner;
    private final int number;
    private final long base;
    private final long bytes;
    private final List<Part> parts = new ArrayList<>();
    private long used;

    /**
     * A part, without its markers.
     *
     * @param unit   bytes of each of the equal things that it consists of; all of it where it is one
     * @param dataAt where in each of them data of the application begins; the unit where there is none
     */
    public record Part(String tag, long address, long bytes, int unit, int dataAt) {
        /** Where its marker is. */
        public long marker(final boolean isEnd) {
            return address + (isEnd ? aligned(bytes) : -LINE);
        }

        private boolean isBeginWhole() {
            return MarkerDescriptor.isWhole(address - LINE, false, address, bytes);
        }

        private boolean isEndWhole() {
            return MarkerDescriptor.isWhole(address + aligned(bytes), true, address, bytes);
        }
    }

    /**
     * Allocates it, all zero.
     *
     * @param owner  whose it is: the bond's name
     * @param number of the object, as it is shown
     * @param bytes  of all parts, {@link #bytesOf} each
     */
    public NativeBlock(final String owner, final int number, final long bytes) {
        this.owner = owner;
        this.number = number;
        this.bytes = bytes;
        base = arena.allocate(bytes, LINE).address();
    }

    /** What a part needs, with its markers. */
    public static long bytesOf(final long partBytes) {
        return LINE + aligned(partBytes) + LINE;
    }

    private static long aligned(final long bytes) {
        return (bytes + LINE - 1) & -LINE;
    }

    /** Where it begins. */
    public long address() {
        return base;
    }

    /** What was allocated. */
    public long bytes() {
        return bytes;
    }

    /**
     * The address of the next part, which begins with a line of the cache.
     *
     * @param tag three letters that name it in a hexdump
     */
    public long part(final String tag, final long partBytes) {
        return part(tag, partBytes, (int) partBytes, (int) partBytes);
    }

    /**
     * The same for a part that consists of equal things.
     *
     * @param unit   bytes of each
     * @param dataAt where in each of them data of the application begins; the unit where there is none
     */
    public long part(final String tag, final long partBytes, final int unit, final int dataAt) {
        assert used + bytesOf(partBytes) <= bytes : tag + " was not reckoned with";
        final Part part = new Part(tag, base + used + LINE, partBytes, unit, dataAt);
        used += bytesOf(partBytes);
        MarkerDescriptor.write(part.address - LINE, false, tag, number, owner, part.address, partBytes);
        MarkerDescriptor.write(
                part.address + aligned(partBytes), true, tag, number, owner, part.address, partBytes);
        parts.add(part);
        return part.address;
    }

    /** Whether all markers stand as they were written. Allocates nothing. */
    public boolean isWhole() {
        for (int i = 0; i < parts.size(); i++) {
            final Part part = parts.get(i);
            if (!part.isBeginWhole() || !part.isEndWhole()) {
                return false;
            }
        }
        return true;
    }

    /** Which markers are broken, in words; empty where all are whole. */
    public String damage() {
        final List<String> broken = new ArrayList<>();
        for (final Part part : parts) {
            if (!part.isBeginWhole()) {
                broken.add(describe(part, "before", part.address - LINE));
            }
            if (!part.isEndWhole()) {
                broken.add(describe(part, "behind", part.address + aligned(part.bytes)));
            }
        }
        return String.join(", ", broken);
    }

    private String describe(final Part part, final String where, final long marker) {
        return String.format(
                Locale.ROOT, "the marker %s %s %06x at 0x%x, of %d bytes at 0x%x", where, part.tag, number, marker,
                part.bytes, part.address);
    }

    /** Its parts, in the order in which they lie. */
    public List<Part> parts() {
        return List.copyOf(parts);
    }

    /** Of what object, as it is shown. */
    public int number() {
        return number;
    }

    /** What it is, and where its parts are, a line each. */
    public List<String> map() {
        final List<String> lines = new ArrayList<>();
        for (final Part part : parts) {
            lines.add(String.format(
                    Locale.ROOT, "%s %06x at 0x%x, %d bytes", part.tag, number, part.address, part.bytes));
        }
        return lines;
    }

    /** Frees it. Idempotent. */
    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
