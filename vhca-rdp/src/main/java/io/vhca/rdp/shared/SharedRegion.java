package io.vhca.rdp.shared;

import io.vhca.rdp.unix.Futex;
import io.vhca.rdp.unix.MemoryFile;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
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
    private final ReceiveSlots slots;
    private final int ringBytes;

    private SharedRegion(final MappedByteBuffer map, final int ringBytes) {
        this.map = map;
        this.ringBytes = ringBytes;
        whole = new UnsafeBuffer(map);
        slots = new ReceiveSlots(new UnsafeBuffer(
                map, RegionDescriptor.SLOTS_OFFSET, RegionDescriptor.CALLS_OFFSET - RegionDescriptor.SLOTS_OFFSET));
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

    /** Where datagrams are left for sockets. */
    ReceiveSlots slots() {
        return slots;
    }

    /** What a socket is ready for, beside a datagram that is left for it. */
    int ready(final int socket) {
        return whole.getIntAcquire(RegionDescriptor.READY_OFFSET + socket * Integer.BYTES);
    }

    void ready(final int socket, final int bits) {
        whole.putIntRelease(RegionDescriptor.READY_OFFSET + socket * Integer.BYTES, bits);
    }

    /** The driver says that it is about to sleep; it is to look once more after that. */
    void driverSleeps() {
        whole.putIntVolatile(RegionDescriptor.DRIVER_SLEEPS_OFFSET, RegionDescriptor.BY_BYTE);
        // Pairs with that of mustWakeDriver and wakeClient: either this end sees what the other wrote, or that one sees
        // the word.
        VarHandle.fullFence();
    }

    /** The driver is awake: nobody need wake it. */
    void driverIsAwake() {
        whole.putIntRelease(RegionDescriptor.DRIVER_SLEEPS_OFFSET, 0);
    }

    /**
     * A thread of the client says that it is about to sleep; it is to look once more after that.
     *
     * @param how BY_BYTE or BY_WORD
     * @return the word as it is by that
     */
    int clientSleeps(final int how) {
        int before = whole.getIntVolatile(RegionDescriptor.CLIENT_SLEEPS_OFFSET);
        while ((before & how) == 0
                && !whole.compareAndSetInt(RegionDescriptor.CLIENT_SLEEPS_OFFSET, before, before | how)) {
            before = whole.getIntVolatile(RegionDescriptor.CLIENT_SLEEPS_OFFSET);
        }
        VarHandle.fullFence();
        return before | how;
    }

    /**
     * A thread of the client that has said so by BY_WORD, and has looked, sleeps unless it was woken since.
     *
     * @param word as it was when it said so: another thread that sleeps since does not make it the same again
     */
    void awaitDriver(final int word, final long mostNs) {
        Futex.await(clientWord(), word, mostNs);
        Reference.reachabilityFence(this);
    }

    private long clientWord() {
        return whole.addressOffset() + RegionDescriptor.CLIENT_SLEEPS_OFFSET;
    }

    /** Whether the driver sleeps, and the caller is who is to wake it; after what it is woken for was written. */
    boolean mustWakeDriver() {
        VarHandle.fullFence();
        return whole.getIntVolatile(RegionDescriptor.DRIVER_SLEEPS_OFFSET) != 0
                && whole.getAndSetInt(RegionDescriptor.DRIVER_SLEEPS_OFFSET, 0) != 0;
    }

    /**
     * Wakes the threads of the client that sleep by the word; after what they are woken for was written. Either end.
     *
     * @return whether another one of it is to be woken by a byte, which the caller does
     */
    boolean wakeClient() {
        VarHandle.fullFence();
        int how = whole.getIntVolatile(RegionDescriptor.CLIENT_SLEEPS_OFFSET);
        while ((how & RegionDescriptor.HOWS) != 0
                && !whole.compareAndSetInt(
                        RegionDescriptor.CLIENT_SLEEPS_OFFSET, how, (how | RegionDescriptor.HOWS) + 1)) {
            how = whole.getIntVolatile(RegionDescriptor.CLIENT_SLEEPS_OFFSET);
        }
        if ((how & RegionDescriptor.BY_WORD) != 0 && Futex.IS_AVAILABLE) {
            Futex.wakeAll(clientWord());
        }
        return (how & RegionDescriptor.BY_BYTE) != 0;
    }

    /** Gives the memory back; nobody of this end uses it any more. */
    void unmap() {
        IoUtil.unmap(map);
    }
}
