package io.vhca.exs.engine;

import io.vhca.api.NativeMemory;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One send or receive: its memory, how far it has got, and how it ended. An object of a {@link CallRing}, used again
 * and again; whoever drives the engine owns it from {@link SocketEngine#nextSend} to what {@link CallSink} is told.
 */
public final class Call {
    /** Most pieces of memory of a call. */
    public static final int MAX_SEGMENTS = 16;

    /** A receive is complete only when it is full. */
    public static final int WAIT_ALL = 1;

    /** A receive leaves what it took to the next one. */
    public static final int PEEK = 1 << 1;

    /** What the driver keeps with the call. */
    public @Nullable Object owner;

    /** What the application wants to see again. */
    public @Nullable Object cookie;

    long sequence;
    int segments;
    int open; // READs, WRITEs and adverts that are not finished
    boolean isClosed; // nothing more will be begun for it
    boolean isDirect; // the peer knows of this receive and may write into it
    int errno;
    boolean isTruncated;

    private long[] addresses = new long[1];
    private long[] lengths = new long[1];
    private int[] lkeys = new int[1];
    private int[] rkeys = new int[1];
    private @Nullable Object[] holds = new Object[1];
    private boolean isRegistered;
    private int flags;
    private long total;
    private long placed; // bytes that were begun: the next one is at offset of segment
    private int segment;
    private long offset;

    /** Begins anew, without memory. */
    void reset(final long number) {
        sequence = number;
        segments = 0;
        open = 0;
        isClosed = false;
        isDirect = false;
        errno = 0;
        isTruncated = false;
        isRegistered = true;
        flags = 0;
        total = 0;
        placed = 0;
        segment = 0;
        offset = 0;
    }

    /** Sets {@link #WAIT_ALL} and {@link #PEEK}. */
    public Call flags(final int bits) {
        flags = bits;
        return this;
    }

    /** Adds registered memory, and what keeps it registered, and alive. */
    public Call add(
            final long address, final long lengthBytes, final int lkey, final int rkey, final @Nullable Object hold) {
        if (segments == addresses.length) {
            addresses = Arrays.copyOf(addresses, MAX_SEGMENTS);
            lengths = Arrays.copyOf(lengths, MAX_SEGMENTS);
            lkeys = Arrays.copyOf(lkeys, MAX_SEGMENTS);
            rkeys = Arrays.copyOf(rkeys, MAX_SEGMENTS);
            holds = Arrays.copyOf(holds, MAX_SEGMENTS);
        }
        addresses[segments] = address;
        lengths[segments] = lengthBytes;
        lkeys[segments] = lkey;
        rkeys[segments] = rkey;
        holds[segments] = hold;
        segments++;
        total += lengthBytes;
        skipFull();
        return this;
    }

    /**
     * Adds memory that no device may touch, and what keeps it until then: of a send that fits into one message, or of a
     * receive of what came before the connection was over.
     */
    public Call addUnregistered(final long address, final long lengthBytes, final Object hold) {
        add(address, lengthBytes, 0, 0, hold);
        isRegistered = false;
        return this;
    }

    /** How many pieces of memory it has. */
    public int segments() {
        return segments;
    }

    /** What keeps a piece of memory; forgotten by this. */
    public @Nullable Object release(final int index) {
        final Object hold = holds[index];
        holds[index] = null;
        return hold;
    }

    /** Where it stands among the calls of its direction, from 0. */
    public long sequence() {
        return sequence;
    }

    /** Bytes sent or received. */
    public long bytes() {
        return placed;
    }

    /** 0, or a positive errno. */
    public int errno() {
        return errno;
    }

    /** True when a message was longer than the receive that took it. */
    public boolean isTruncated() {
        return isTruncated;
    }

    boolean isRegistered() {
        return isRegistered;
    }

    boolean is(final int flag) {
        return (flags & flag) != 0;
    }

    long total() {
        return total;
    }

    long left() {
        return total - placed;
    }

    /** Where the next byte is. */
    long address() {
        return addresses[segment] + offset;
    }

    int lkey() {
        return lkeys[segment];
    }

    int rkey() {
        return rkeys[segment];
    }

    /** Bytes up to the end of the segment that the next byte is in. */
    long segmentLeft() {
        return lengths[segment] - offset;
    }

    /** Goes on by so many bytes, all of one segment. */
    void advance(final long bytes) {
        assert bytes >= 0 && bytes <= (left() == 0 ? 0 : segmentLeft()) : bytes + " of " + left();
        offset += bytes;
        placed += bytes;
        skipFull();
    }

    /** Takes the bytes back that were promised: a failed call reports none. */
    void failed() {
        placed = 0;
    }

    private void skipFull() {
        while (segment < segments && offset == lengths[segment]) {
            segment++;
            offset = 0;
        }
    }

    /** Copies the next bytes to {@code to}, across segments, and goes on. */
    void copyOut(final long to, final long bytes) {
        long at = to;
        for (long left = bytes; left > 0; ) {
            final long piece = Math.min(left, segmentLeft());
            NativeMemory.copy(address(), at, piece);
            advance(piece);
            at += piece;
            left -= piece;
        }
    }

    /** Copies from {@code from} to where the next bytes go, across segments, and goes on. */
    void copyIn(final long from, final long bytes) {
        long at = from;
        for (long left = bytes; left > 0; ) {
            final long piece = Math.min(left, segmentLeft());
            NativeMemory.copy(at, address(), piece);
            advance(piece);
            at += piece;
            left -= piece;
        }
    }
}
