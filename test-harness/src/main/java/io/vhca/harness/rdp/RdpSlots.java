package io.vhca.harness.rdp;

import io.vhca.harness.sim.core.Violations;
import io.vhca.rdp.RdpDirected;
import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.completion.SendCompletion;
import io.vhca.rdp.engine.SendResult;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.BitSet;

/**
 * The memory that one socket sends in place from. A slot is overwritten as soon as its completion came, and at no other
 * time: a driver that says so too early sends what no receiver expects.
 */
final class RdpSlots {
    private static final int SLOTS = 4;
    private static final byte GARBAGE = (byte) 0xee;

    private final RdpSocket socket;
    private final RdpDirected directed;
    private final RdpMutation mutation;
    private final Violations violations;
    private final MemorySegment memory;
    private final int slotBytes;
    private final BitSet busy = new BitSet();
    private final SendCompletion completion = new SendCompletion();
    private boolean hasLost;

    RdpSlots(
            final RdpSocket socket, final int slotBytes, final RdpMutation mutation, final Violations violations) {
        this.socket = socket;
        directed = new RdpDirected(socket);
        this.slotBytes = slotBytes;
        this.mutation = mutation;
        this.violations = violations;
        // It lives as long as a driver that may read it.
        memory = Arena.ofAuto().allocate((long) SLOTS * slotBytes, 64);
    }

    private MemorySegment slot(final int index) {
        return memory.asSlice((long) index * slotBytes, slotBytes);
    }

    boolean hasFree() {
        return busy.cardinality() < SLOTS;
    }

    /** Sends a copy of the datagram in place, or into memory that its receiver has named. */
    SendResult send(final ByteBuffer datagram, final InetSocketAddress to, final boolean isDirected) {
        final int index = busy.nextClearBit(0);
        final MemorySegment copy = slot(index).asSlice(0, datagram.remaining());
        slot(index).asByteBuffer().put(datagram.duplicate());
        final SendResult result = isDirected
                ? directed.send(copy, to, RdpNamed.TAG, index)
                : socket.sendInPlace(copy, to, index);
        if (result == SendResult.SENT) {
            busy.set(index);
            if (mutation == RdpMutation.COMPLETED_EARLY) {
                slot(index).fill(GARBAGE);
            }
        }
        return result;
    }

    /** Takes what is over; how much that was. */
    int doWork() {
        int work = 0;
        while (socket.poll(completion)) {
            work++;
            final int index = (int) completion.token();
            if (!busy.get(index)) {
                violations.report("a send in place is over once", socket.localAddress().toString(), "slot " + index);
                return work;
            }
            slot(index).fill(GARBAGE);
            if (mutation != RdpMutation.COMPLETION_LOST || hasLost) {
                busy.clear(index);
            }
            hasLost = true;
        }
        return work;
    }

    /** Sends that are not over. */
    int busy() {
        return busy.cardinality();
    }
}
