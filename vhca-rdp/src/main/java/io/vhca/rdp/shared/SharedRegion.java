package io.vhca.rdp.shared;

import io.vhca.rdp.unix.MemoryFile;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.MappedByteBuffer;
import org.agrona.IoUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;

/**
 * The memory that a driver shares with one client, as {@link RegionDescriptor} pictures it. The driver makes it and
 * sends it. Of each ring one thread at a time writes, and one thread of the other end reads.
 */
final class SharedRegion {
    private final MappedByteBuffer map;
    private final UnsafeBuffer whole;
    private final UnsafeBuffer calls;
    private final UnsafeBuffer answers;
    private final int ringBytes;

    private SharedRegion(final MappedByteBuffer map, final int ringBytes) {
        this.map = map;
        this.ringBytes = ringBytes;
        whole = new UnsafeBuffer(map);
        final int ring = RegionDescriptor.wholeRing(ringBytes);
        calls = new UnsafeBuffer(map, RegionDescriptor.CALLS_OFFSET, ring);
        answers = new UnsafeBuffer(map, RegionDescriptor.CALLS_OFFSET + ring, ring);
    }

    /** New memory, in that file. */
    static SharedRegion create(final MemoryFile file, final int ringBytes) {
        final SharedRegion region = new SharedRegion(file.map(), ringBytes);
        region.whole.putLongRelease(RegionDescriptor.MAGIC_OFFSET, RegionDescriptor.MAGIC);
        return region;
    }

    /**
     * What a driver made.
     *
     * @throws IOException where it did not
     */
    static SharedRegion open(final MemoryFile file, final int ringBytes) throws IOException {
        final SharedRegion region = new SharedRegion(file.map(), ringBytes);
        if (region.whole.getLongAcquire(RegionDescriptor.MAGIC_OFFSET) != RegionDescriptor.MAGIC) {
            throw new IOException("the memory that was sent was not made by a driver of this version");
        }
        return region;
    }

    /** Longest message of a ring. */
    private int longest() {
        return RegionDescriptor.longestMessage(ringBytes);
    }

    /** From the client to the driver: the client's end. */
    OneToOneRingBuffer callWriter() {
        return new OneToOneRingBuffer(calls);
    }

    /** The driver's end. */
    GuardedRing callReader() {
        return new GuardedRing(calls, longest());
    }

    /** From the driver to the client: the driver's end. */
    OneToOneRingBuffer answerWriter() {
        return new OneToOneRingBuffer(answers);
    }

    /** The client's end. */
    GuardedRing answerReader() {
        return new GuardedRing(answers, longest());
    }

    /** What a socket is ready for. */
    int ready(final int socket) {
        return whole.getIntAcquire(RegionDescriptor.READY_OFFSET + socket * Integer.BYTES);
    }

    void ready(final int socket, final int bits) {
        whole.putIntRelease(RegionDescriptor.READY_OFFSET + socket * Integer.BYTES, bits);
    }

    /** Says that this end is about to sleep; it is to look once more after that. */
    void sleeps(final SharedEnd self) {
        whole.putIntVolatile(self.sleepsOffset(), 1);
        // Pairs with that of mustWake: either this end sees what the other wrote, or that one sees the word.
        VarHandle.fullFence();
    }

    /** It is awake: nobody need wake it. */
    void isAwake(final SharedEnd self) {
        whole.putIntRelease(self.sleepsOffset(), 0);
    }

    /** Whether an end sleeps, and the caller is the one who is to wake it; after what it is woken for was written. */
    boolean mustWake(final SharedEnd other) {
        VarHandle.fullFence();
        return whole.getIntVolatile(other.sleepsOffset()) != 0
                && whole.compareAndSetInt(other.sleepsOffset(), 1, 0);
    }

    /** Gives the memory back; nobody of this end uses it any more. */
    void unmap() {
        IoUtil.unmap(map);
    }
}
