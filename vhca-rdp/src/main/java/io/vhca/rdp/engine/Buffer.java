package io.vhca.rdp.engine;

import io.vhca.rdp.wire.MessageDescriptor;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** One buffer of a pool: room for a header and a payload. It is in the pool, or on a queue, or held by a socket. */
public final class Buffer {
    /** No connection has it. */
    static final int NOWHERE = -1;

    private final BufferPool pool;
    private final int index;
    private final long address;
    private final int lkey;
    /** Where its own bytes of a message begin. */
    private int messageOffset;
    private int payloadOffset = MessageDescriptor.SIZE;
    private boolean hasImmediate;
    private int immediate;

    /** The node whose connection it is posted on, or {@link #NOWHERE}. */
    int postedAt = NOWHERE;
    /** Of the same pool, posted on connections to the same node: the ones before it and after it. */
    @Nullable Buffer postedBefore;
    @Nullable Buffer postedAfter;
    /** Which connection of a node it is sent by. */
    int lane;
    /** Whose datagrams are being sent in it, and how long each is. */
    private @Nullable Port[] owners = new Port[1];

    private int[] shares = new int[1];
    private int owned;
    /** The datagram whose bytes are not in this buffer, but where the application has them. */
    @Nullable InPlaceSend inPlace;
    private long gatherAddress;
    private int gatherBytes;
    private int gatherLkey;
    /** Payload of a message that arrived. */
    int length;
    /** Of a batch that waits: messages that came by its connection after it, and are not counted before it. */
    int behind;
    /** Of a datagram that arrived: the flow that it came by. */
    @Nullable InFlow flow;
    /** Of a datagram that is not in this buffer, but where the application wants it: the memory. */
    PortOffers.@Nullable Offer offer;
    /** The next datagram of the socket's queue. */
    @Nullable Buffer next;
    /** The next segment of the same datagram. */
    @Nullable Buffer nextSegment;
    boolean isLast;

    Buffer(final BufferPool pool, final int index, final long address, final int lkey) {
        this.pool = pool;
        this.index = index;
        this.address = address;
        this.lkey = lkey;
    }

    /** The payload is behind a header. */
    void headed() {
        messageOffset = 0;
        payloadOffset = MessageDescriptor.SIZE;
        hasImmediate = false;
    }

    /** It is sent without a header: the message begins with the payload. */
    void sentBare() {
        messageOffset = payloadOffset;
    }

    /** The same with immediate data. */
    void sentBare(final int says) {
        sentBare();
        hasImmediate = true;
        immediate = says;
    }

    /** It is to be sent with immediate data. */
    public boolean hasImmediate() {
        return hasImmediate;
    }

    /** That immediate data. */
    public int immediate() {
        return immediate;
    }

    /** It arrived without a header. */
    void arrivedBare() {
        payloadOffset = 0;
    }

    /** A datagram of that socket, or a part of one, is sent in it. */
    void carries(final Port owner, final int lengthBytes) {
        hasRoomFor(owned + 1);
        owners[owned] = owner;
        shares[owned] = lengthBytes;
        owned++;
    }

    /** So many datagrams may be sent in it without more memory. */
    void hasRoomFor(final int datagrams) {
        if (datagrams > owners.length) {
            owners = Arrays.copyOf(owners, datagrams);
            shares = Arrays.copyOf(shares, datagrams);
        }
    }

    /** Nobody's datagram is in it, but what drivers tell each other. */
    boolean isControl() {
        return owned == 0;
    }

    /** It is on the other side, or lost: tells all whose datagrams were in it. */
    void sent() {
        for (int i = 0; i < owned; i++) {
            final Port owner = owners[i];
            owners[i] = null;
            if (owner != null) {
                owner.sent(shares[i]);
            }
        }
        owned = 0;
    }

    /** Where its own bytes of a message to be sent are. */
    public long messageAddress() {
        return address + messageOffset;
    }

    long payloadAddress() {
        return address + payloadOffset;
    }

    /** The bytes that follow this buffer's own in the message are there. */
    void gather(final long at, final int lengthBytes, final int key) {
        gatherAddress = at;
        gatherBytes = lengthBytes;
        gatherLkey = key;
    }

    public long gatherAddress() {
        return gatherAddress;
    }

    /** How many bytes of the message follow this buffer's own; 0 where it has all. */
    public int gatherBytes() {
        return gatherBytes;
    }

    public int gatherLkey() {
        return gatherLkey;
    }

    public BufferPool pool() {
        return pool;
    }

    /** Gives it back to its pool. */
    void release() {
        pool.release(this);
    }

    /** Where it is in its pool. */
    public int index() {
        return index;
    }

    public long address() {
        return address;
    }

    public int lkey() {
        return lkey;
    }
}
