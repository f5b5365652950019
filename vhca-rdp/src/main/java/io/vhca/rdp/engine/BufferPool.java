package io.vhca.rdp.engine;

import io.vhca.rdp.memory.RegisteredMemory;
import io.vhca.rdp.wire.MessageDescriptor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Buffers of one size, registered in chunks that are never given back. Grows until its limit, or until the memory says
 * no. One thread at a time.
 */
public final class BufferPool {
    private static final int CHUNK_BUFFERS = 32;
    private static final int ALIGNMENT = 64;
    private static final int FIRST_NODES = 16;

    private final int id;
    private final RegisteredMemory memory;
    private final int payloadBytes;
    private final int bufferBytes;
    private int mostBuffers;
    private final List<Buffer> buffers = new ArrayList<>();
    private Buffer[] free = new Buffer[CHUNK_BUFFERS];
    private int freeCount;
    /** By node: the buffer that was posted last on connections to it, which leads to the others. */
    private @Nullable Buffer[] posted = new Buffer[FIRST_NODES];
    /** The memory has said no since it said yes last. */
    private boolean isRefused;
    /** Who found no buffer, each as often as that happened. */
    private final ArrayDeque<Taker> starving = new ArrayDeque<>();
    /** Sockets that were refused for want of a buffer, each once. */
    private final List<Port> waiting = new ArrayList<>();

    /** Who waits for a buffer. */
    interface Taker {
        /** There is one. */
        void onBuffer();
    }

    BufferPool(final int id, final RegisteredMemory memory, final int payloadBytes, final int mostBuffers) {
        this.id = id;
        this.memory = memory;
        this.payloadBytes = payloadBytes;
        bufferBytes = (MessageDescriptor.SIZE + payloadBytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        this.mostBuffers = mostBuffers;
    }

    /** Which pool of its engine it is: {@link Arrivals#pool} finds it again. */
    public int id() {
        return id;
    }

    public int payloadBytes() {
        return payloadBytes;
    }

    /** Header and payload. */
    public int messageBytes() {
        return MessageDescriptor.SIZE + payloadBytes;
    }

    public Buffer buffer(final int index) {
        return buffers.get(index);
    }

    /** A free buffer, one of a new chunk if there must be; null where the limit is reached. */
    @Nullable Buffer take() {
        if (freeCount == 0 && !grow()) {
            return null;
        }
        final Buffer buffer = free[--freeCount];
        assert buffer.postedAt == Buffer.NOWHERE : "a free buffer is posted";
        return buffer;
    }

    /** It is being posted on a connection to a node. */
    void posted(final Buffer buffer, final int node) {
        assert buffer.postedAt == Buffer.NOWHERE : "it is posted";
        if (node >= posted.length) {
            posted = Arrays.copyOf(posted, Math.max(2 * posted.length, node + 1));
        }
        final Buffer before = posted[node];
        if (before != null) {
            before.postedAfter = buffer;
        }
        buffer.postedBefore = before;
        buffer.postedAt = node;
        posted[node] = buffer;
    }

    /** No connection has it any more. */
    void unposted(final Buffer buffer) {
        final Buffer before = buffer.postedBefore;
        final Buffer after = buffer.postedAfter;
        if (before != null) {
            before.postedAfter = after;
        }
        if (after != null) {
            after.postedBefore = before;
        } else {
            posted[buffer.postedAt] = before;
        }
        buffer.postedBefore = null;
        buffer.postedAfter = null;
        buffer.postedAt = Buffer.NOWHERE;
    }

    /** The buffer that was posted last on connections to a node; null where none is. */
    @Nullable Buffer postedAt(final int node) {
        return node < posted.length ? posted[node] : null;
    }

    /** Whether so many can be taken. */
    boolean has(final int count) {
        while (freeCount < count) {
            if (!grow()) {
                return false;
            }
        }
        return true;
    }

    /** Buffers that are not free and not posted. */
    int inUse() {
        int posted = 0;
        for (final Buffer buffer : buffers) {
            posted += buffer.postedAt == Buffer.NOWHERE ? 0 : 1;
        }
        return buffers.size() - freeCount - posted;
    }

    private boolean grow() {
        final int count = Math.min(CHUNK_BUFFERS, mostBuffers - buffers.size());
        if (count <= 0) {
            return false;
        }
        final RegisteredMemory.Chunk chunk = memory.allocate((long) count * bufferBytes);
        isRefused = chunk == null;
        if (chunk == null) {
            return false;
        }
        if (free.length < buffers.size() + count) {
            free = Arrays.copyOf(free, Math.max(2 * free.length, buffers.size() + count));
        }
        for (int i = 0; i < count; i++) {
            final Buffer buffer =
                    new Buffer(this, buffers.size(), chunk.address() + (long) i * bufferBytes, chunk.lkey());
            buffers.add(buffer);
            free[freeCount++] = buffer;
        }
        return true;
    }

    /** Gives a buffer back; a connection that lacks one gets it at once. */
    void release(final Buffer buffer) {
        if (buffer.postedAt != Buffer.NOWHERE) {
            unposted(buffer);
        }
        buffer.inPlace = null;
        buffer.gather(0, 0, 0);
        buffer.headed();
        buffer.flow = null;
        buffer.offer = null;
        buffer.next = null;
        buffer.nextSegment = null;
        free[freeCount++] = buffer;
        if (!starving.isEmpty()) {
            starving.remove().onBuffer();
        } else if (!waiting.isEmpty()) {
            wake();
        }
    }

    /** A socket that was refused is told when there is a buffer again: those that come back may all be others'. */
    void await(final Port port) {
        if (port.awaits(id)) {
            waiting.add(port);
        }
    }

    /** The same where it is the memory behind a header that there was no room for: he looks again now and then, too. */
    void awaitMemory(final Port port) {
        isRefused = true;
        await(port);
    }

    private int wake() {
        final int count = waiting.size();
        for (int i = 0; i < count; i++) {
            waiting.get(i).hasBuffer(id);
        }
        waiting.clear();
        return count;
    }

    /** Somebody waits whom perhaps no buffer comes back for: there was no memory for one. */
    boolean isShortOfMemory() {
        return isRefused && !(starving.isEmpty() && waiting.isEmpty());
    }

    /** The limit, for buffers that are made from now on. */
    void mostBuffers(final int limit) {
        mostBuffers = limit;
    }

    /** There may be memory again: connections that lack a buffer get one, sockets try again; how many of them. */
    int retry() {
        int served = 0;
        for (int takers = starving.size(); takers > 0 && has(1); takers--) {
            starving.remove().onBuffer();
            served++;
        }
        return served + wake();
    }

    void starve(final Taker taker) {
        starving.add(taker);
    }

    /** The connection is gone, and needs nothing any more. */
    void forget(final Taker taker) {
        starving.removeIf(other -> other == taker);
    }
}
