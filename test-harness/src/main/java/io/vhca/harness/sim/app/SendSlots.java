package io.vhca.harness.sim.app;

import io.vhca.api.NativeMemory;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.harness.sim.core.Content;
import io.vhca.harness.sim.scenario.AtomicPlan;
import io.vhca.harness.sim.scenario.OpMix;
import io.vhca.harness.sim.scenario.OpPlan;
import io.vhca.harness.sim.scenario.OwnMistake;

/**
 * The memory that one end of a connection sends from, with a slot for each request that may be outstanding, and the
 * work requests over it. A slot is overwritten as soon as the device must not read it any more: a late read is seen.
 */
final class SendSlots {
    /** Each byte of what is no operation's. */
    static final byte POISON = (byte) 0xd7;

    private final WrBlock wrs;
    private final long address;
    private final int slots;
    private final int slotBytes;

    SendSlots(final WrBlock wrs, final long address, final int slots, final int slotBytes) {
        this.wrs = wrs;
        this.address = address;
        this.slots = slots;
        this.slotBytes = slotBytes;
    }

    /** Where the data of an operation is, or its answer. */
    long of(final int op) {
        return address + (long) (op % slots) * slotBytes;
    }

    /** Writes operations of a plan as one chain. Returns its first request. */
    SendWorkRequest write(
            final OpPlan plan, final int first, final int count, final ConnectionInfo peer, final int rkey,
            final int lkey) {
        for (int i = 0; i < count; i++) {
            final SendWorkRequest wr = wrs.send(i);
            write(wr, plan, first + i, peer, rkey);
            gather(wr, plan, first + i, lkey);
            wr.next(i + 1 < count ? wrs.send(i + 1).address() : 0);
        }
        return wrs.send(0);
    }

    private void write(
            final SendWorkRequest wr, final OpPlan plan, final int op, final ConnectionInfo peer, final int rkey) {
        if (plan.isRead(op) || plan.atomics().isAtomic(op)) {
            poison(op);
        } else {
            Content.fill(of(op), plan.lengthBytes(op), plan.contentKey(op));
        }
        wr.wrId(op).opcode(plan.opcode(op)).sendFlags(plan.flags(op));
        if (plan.hasImm(op)) {
            wr.immData(plan.imm(op));
        }
        if (OpMix.addressesRegion(plan.opcode(op))) {
            wr.rdma(peer.regionAddress() + plan.regionOffset(op), rkey);
        } else if (plan.atomics().isAtomic(op)) {
            aim(wr, plan, op, peer, rkey);
        }
    }

    private static void aim(
            final SendWorkRequest wr, final OpPlan plan, final int op, final ConnectionInfo peer, final int rkey) {
        final AtomicPlan atomics = plan.atomics();
        if (atomics.isOnCommon(op)) {
            wr.atomic(peer.commonAddress(), peer.commonRkey(), atomics.compareAdd(op), 0);
        } else {
            wr.atomic(peer.wordAddress(plan.regionBytes()), rkey, atomics.compareAdd(op), atomics.swap(op));
        }
    }

    /**
     * Makes the mistake in the request of a chain that has it.
     *
     * @param wrongLkey the local key, where that is the mistake
     */
    void spoil(
            final int inChain, final OpPlan plan, final OwnMistake mistake, final ConnectionInfo peer, final int rkey,
            final int wrongLkey) {
        final SendWorkRequest wr = wrs.send(inChain);
        final int op = mistake.op();
        final long word = peer.wordAddress(plan.regionBytes());
        switch (mistake.kind()) {
            case LOCAL_KEY -> gather(wr, plan, op, wrongLkey);
            case UNALIGNED -> wr.atomic(word - 1, rkey, 1, 1);
            case REMOTE_KEY -> {
                if (plan.atomics().isAtomic(op)) {
                    wr.atomic(word, mistake.key(), 1, 1);
                } else {
                    wr.rdma(peer.regionAddress() + plan.regionOffset(op), mistake.key());
                }
            }
        }
    }

    private void gather(final SendWorkRequest wr, final OpPlan plan, final int op, final int lkey) {
        final int length = plan.lengthBytes(op);
        final int sges = length == 0 ? 0 : plan.atomics().isAtomic(op) ? 1 : Math.min(plan.sgeCount(op), length);
        int done = 0;
        for (int sge = 0; sge < sges; sge++) {
            final int part = sge == sges - 1 ? length - done : length / sges;
            wr.sge(sge, of(op) + done, part, lkey);
            done += part;
        }
        wr.numSge(sges);
    }

    /** A request over the first bytes of all, none of which is in use; where it goes is up to the caller. */
    SendWorkRequest extra(final int lengthBytes, final int lkey) {
        NativeMemory.fill(address, lengthBytes, POISON);
        return wrs.send(0).sge(0, address, lengthBytes, lkey).numSge(1);
    }

    /** Inline data was taken when it was posted. */
    void poisonInline(final OpPlan plan, final int first, final int count) {
        for (int op = first; op < first + count; op++) {
            if ((plan.flags(op) & SendFlags.INLINE) != 0) {
                poison(op);
            }
        }
    }

    void poison(final int op) {
        NativeMemory.fill(of(op), slotBytes, POISON);
    }
}
