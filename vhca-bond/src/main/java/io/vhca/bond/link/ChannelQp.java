package io.vhca.bond.link;

import io.vhca.api.AccessFlags;
import io.vhca.api.MemoryRegion;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QueuePair;
import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.VerbsException;
import io.vhca.api.WrOpcode;
import io.vhca.api.cm.CmId;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.member.CompletionWakers;
import io.vhca.bond.member.MadeObjects;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.WakingCq;
import io.vhca.bond.wire.ChannelMessageDescriptor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The physical queue pair of a {@link PathChannel}, with a completion queue, a domain and memory of its own; slots 0 to
 * {@link #DEPTH} are sent from, those behind are received into. Control lock. Frees all of it when it was destroyed.
 */
final class ChannelQp implements CarriedQp {
    static final int DEPTH = 32;
    private static final int SIZE = ChannelMessageDescriptor.MAX_SIZE;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory = arena.allocate(2L * DEPTH * SIZE, 64);
    private final SendWorkRequest send = SendWorkRequest.allocate(arena, 1);
    private final RecvWorkRequest recv = RecvWorkRequest.allocate(arena, 1);
    private final BondCore core;
    private final MadeObjects made;
    private final MemoryRegion region;
    private final WakingCq cq;
    private final QueuePair qp;

    private ChannelQp(final BondCore core, final CompletionWakers wakers, final CmId id, final Member member) {
        this.core = core;
        made = new MadeObjects(core);
        try {
            cq = made.add(new WakingCq(wakers, member, 2 * DEPTH, false));
            final ProtectionDomain pd = made.add(member.context().allocPd());
            region = made.add(pd.regMr(memory, AccessFlags.LOCAL_WRITE));
            qp = id.createQp(
                    pd, QpInitAttributes.rc(cq.queue(), cq.queue(), new QpCapabilities(DEPTH, DEPTH, 1, 1, 0)));
        } catch (final VerbsException e) {
            free();
            throw e;
        }
        core.holds(this, memory.byteSize());
        for (int slot = DEPTH; slot < 2 * DEPTH; slot++) {
            receive(slot);
        }
    }

    /**
     * Creates one, ready to receive.
     *
     * @throws VerbsException as the member says; nothing is left of it then
     */
    static ChannelQp create(
            final BondCore core, final CompletionWakers wakers, final CmId id, final Member member) {
        assert core.holdsLock();
        return new ChannelQp(core, wakers, id, member);
    }

    static boolean isSend(final int slot) {
        return slot < DEPTH;
    }

    /** As {@link WakingCq#poll}. */
    int poll(final long wcs, final int max) {
        return cq.poll(wcs, max);
    }

    private MemorySegment slot(final int index) {
        return memory.asSlice((long) index * SIZE, SIZE);
    }

    private void receive(final int slot) {
        recv.wrId(slot).sge(slot(slot).address(), SIZE, region.lkey());
        qp.postRecv(recv);
    }

    /** Writes a word of the message that is sent next from a slot that is free; where its next word begins. */
    int write(final int slot, final int offset, final byte[] word) {
        assert isSend(slot);
        MemorySegment.copy(word, 0, slot(slot), ValueLayout.JAVA_BYTE, offset, word.length);
        return offset + word.length;
    }

    /** Sends what was written into a slot; false where the queue pair is in error. */
    boolean send(final int slot, final int length) {
        assert isSend(slot);
        send.wrId(slot)
                .opcode(WrOpcode.SEND)
                .sendFlags(SendFlags.SIGNALED)
                .sge(slot(slot).address(), length, region.lkey());
        return qp.postSend(send) == 1;
    }

    /** Writes nothing, from a slot that is free: done where the other end is there. False as for {@link #send}. */
    boolean probe(final int slot) {
        assert isSend(slot);
        send.wrId(slot)
                .opcode(WrOpcode.RDMA_WRITE)
                .sendFlags(SendFlags.SIGNALED)
                .rdma(0, 0)
                .numSge(0);
        return qp.postSend(send) == 1;
    }

    /** What arrived in a slot, which receives anew. */
    byte[] take(final int slot, final int length) {
        assert !isSend(slot);
        final byte[] message =
                slot(slot).asSlice(0, Math.clamp(length, 0, SIZE)).toArray(ValueLayout.JAVA_BYTE);
        receive(slot);
        return message;
    }

    @Override
    public QueuePair queuePair() {
        return qp;
    }

    @Override
    public boolean sharesReceives() {
        return false;
    }

    @Override
    public void letGo(final PathLink link) {
        // What came and was not taken would come too late.
    }

    @Override
    public void beginUse() {
        // It is looked at in every turn.
    }

    @Override
    public void endUse() {
        // Nobody counts it.
    }

    @Override
    public void afterDestroy() {
        free();
    }

    private void free() {
        made.destroy();
        core.ends(this);
        arena.close();
    }
}
