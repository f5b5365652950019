package io.vhca.rdp.engine;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A datagram that lies where it arrived, in buffers of the driver: nothing was copied. It is the borrower's until he
 * releases it, and counts for what its socket holds as long; a longer one is in several segments. The object is made
 * once and used again. One thread at a time.
 */
public final class BorrowedDatagram {
    private @Nullable Port port;
    private @Nullable Buffer first;
    private int segments;
    private int length;

    void set(final Port of, final Buffer whole) {
        assert first == null : "a datagram was borrowed over another";
        port = of;
        first = whole;
        segments = 0;
        length = 0;
        for (Buffer segment = whole; segment != null; segment = segment.nextSegment) {
            segments++;
            length += segment.length;
        }
    }

    /** Whether it holds a datagram. */
    public boolean isBorrowed() {
        return first != null;
    }

    private Buffer checkBorrowed() {
        final Buffer whole = first;
        if (whole == null) {
            throw new IllegalStateException("no datagram is borrowed: it was released, or there was none");
        }
        return whole;
    }

    /** Who sent it. */
    public InetSocketAddress source() {
        final InFlow flow = checkBorrowed().flow;
        if (flow == null) {
            throw new AssertionError("a datagram without a flow");
        }
        return flow.source();
    }

    /** Bytes of all segments. */
    public int lengthBytes() {
        checkBorrowed();
        return length;
    }

    public int segments() {
        checkBorrowed();
        return segments;
    }

    private Buffer segment(final int index) {
        Buffer segment = checkBorrowed();
        if (index < 0 || index >= segments) {
            throw new IndexOutOfBoundsException("segment " + index + " of " + segments);
        }
        for (int i = 0; i < index; i++) {
            final Buffer next = segment.nextSegment;
            if (next == null) {
                throw new AssertionError("fewer segments than were counted");
            }
            segment = next;
        }
        return segment;
    }

    /** Native address of a segment's first byte. */
    public long address(final int index) {
        return segment(index).payloadAddress();
    }

    public int lengthBytes(final int index) {
        return segment(index).length;
    }

    /** Gives the buffers back; nothing where there are none. */
    void release(final Core core) {
        final Buffer whole = first;
        final Port of = port;
        if (whole != null && of != null) {
            first = null;
            port = null;
            core.borrowed(-segments);
            of.release(whole);
        }
    }
}
