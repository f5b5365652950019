package io.vhca.harness.sim.proxy;

import io.vhca.api.WrOpcode;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * What one vQP has given to hardware, and what follows from what its peer said of it. Sequences begin at 0, as in every
 * run of the simulator.
 */
final class PostTrack {
    /** Sequences of messages, in order: the n-th one is the n-th that the peer receives. */
    private final List<Integer> messages = new ArrayList<>();
    /** WRITEs and atomics given to the hardware in use. */
    private final BitSet writes = new BitSet();
    /** Messages given to it. */
    private final BitSet given = new BitSet();
    /** Marks given to it, by the request that they follow. */
    private final BitSet marks = new BitSet();
    /** WRITEs and atomics that the peer may have executed. */
    private final BitSet doubtful = new BitSet();
    /** So many of them may come of one hardware queue pair. */
    private final int mostInDoubt;
    /** The peer has executed all before this one. */
    private int known;

    PostTrack(final int mostInDoubt) {
        this.mostInDoubt = mostInDoubt;
    }

    void onMark(final int sequence) {
        marks.set(sequence);
    }

    /** A request was given to hardware; what is wrong with that, or nothing. */
    String onRequest(final int sequence, final int opcode, final boolean mayReplay) {
        final boolean isAtomic =
                opcode == WrOpcode.ATOMIC_FETCH_AND_ADD.code() || opcode == WrOpcode.ATOMIC_CMP_AND_SWP.code();
        if (isAtomic || opcode == WrOpcode.RDMA_WRITE.code()) {
            final String what = (isAtomic ? "atomic " : "WRITE ") + sequence;
            if (sequence < known) {
                return what + " is given to hardware again, the peer had executed all before " + known;
            }
            if ((isAtomic || !mayReplay) && doubtful.get(sequence)) {
                return what + " is in doubt and given to hardware again";
            }
            writes.set(sequence);
        } else if (opcode >= 0 && WrOpcode.consumesReceive(opcode)) {
            if (messages.isEmpty() || messages.getLast() < sequence) {
                messages.add(sequence);
            }
            given.set(sequence);
        }
        return "";
    }

    /** The peer told its counts after its fence; what is wrong with what that leaves in doubt, or nothing. */
    String onNegotiated(final long received, final long ledger) {
        known = Math.max(known, (int) ledger);
        if (received > 0 && received <= messages.size()) {
            known = Math.max(known, messages.get((int) received - 1) + 1);
        }
        doubtful.clear(0, known);
        int inDoubt = 0;
        for (int write = writes.nextSetBit(known); write >= 0; write = writes.nextSetBit(write + 1)) {
            final int mark = marks.nextSetBit(known);
            final int message = given.nextSetBit(known);
            if ((mark < 0 || mark >= write) && (message < 0 || message >= write)) {
                doubtful.set(write);
                inDoubt++;
            }
        }
        writes.clear();
        given.clear();
        marks.clear();
        return inDoubt > mostInDoubt
                ? inDoubt + " WRITEs or atomics are in doubt from " + known + " on, at most " + mostInDoubt + " may be"
                : "";
    }

    boolean isInDoubt() {
        return !doubtful.isEmpty();
    }
}
