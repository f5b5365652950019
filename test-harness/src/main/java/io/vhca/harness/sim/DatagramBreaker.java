package io.vhca.harness.sim;

import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.NativeMemory;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpType;
import io.vhca.api.QueuePair;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWrDescriptor;
import io.vhca.api.WcDescriptor;
import io.vhca.api.WcOpcode;
import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.Set;

/**
 * A member device whose UD queue pairs behave as under a bond that moves them badly. The simulator breaks bonds with
 * it, to see that the checkers notice.
 */
final class DatagramBreaker extends StandIns {
    private static final int ONE_IN = 8;
    private static final int NOBODY = 0xff_fffe;
    private static final int INCARNATION_SHIFT = 44;
    private static final int INCARNATION_MASK = 0xffff;

    private final Mutation mutation;
    private final Set<Integer> qpNums = new HashSet<>();
    private int sends;

    DatagramBreaker(final Context device, final Mutation mutation) {
        super(device);
        this.mutation = mutation;
    }

    /** Whether a mutation is one of these. */
    static boolean does(final Mutation mutation) {
        return switch (mutation) {
            case DATAGRAM_COMPLETED_TWICE, DATAGRAM_SENT_TWICE, DATAGRAMS_NOT_MOVED, DATAGRAM_HEADER_DENIED -> true;
            default -> false;
        };
    }

    @Override
    Object onContextCall(final Context real, final Method method, final Object[] arguments) throws Throwable {
        final Object result = call(real, method, reals(arguments));
        return switch (result) {
            case ProtectionDomain pd ->
                stand(ProtectionDomain.class, pd, (called, given) -> onPdCall(pd, called, given));
            case CompletionQueue cq -> stand(CompletionQueue.class, cq, (called, given) -> onCqCall(cq, called, given));
            default -> result;
        };
    }

    private Object onPdCall(final ProtectionDomain pd, final Method method, final Object[] arguments)
            throws Throwable {
        final Object result = call(pd, method, reals(arguments));
        if (result instanceof QueuePair qp && qp.qpType() == QpType.UD) {
            qpNums.add(qp.qpNum());
            final boolean[] isUsed = new boolean[1];
            return stand(QueuePair.class, qp, (called, given) -> onDatagramCall(qp, isUsed, called, given));
        }
        return result;
    }

    private Object onDatagramCall(
            final QueuePair qp, final boolean[] isUsed, final Method method, final Object[] arguments)
            throws Throwable {
        if (!method.getName().equals("postSend") || !(arguments[0] instanceof Long first) || !hasMoved(first)) {
            return call(qp, method, arguments);
        }
        if (mutation == Mutation.DATAGRAMS_NOT_MOVED) {
            for (long wr = first; wr != 0; wr = NativeMemory.getLong(wr + SendWrDescriptor.NEXT_OFFSET)) {
                NativeMemory.putInt(wr + SendWrDescriptor.UD_REMOTE_QPN_OFFSET, NOBODY);
            }
        } else if (mutation == Mutation.DATAGRAM_SENT_TWICE && !isUsed[0]) {
            isUsed[0] = true;
            postQuietly(qp, first);
        }
        return call(qp, method, arguments);
    }

    /** The queue pair is not the first one that its vQP has. */
    private static boolean hasMoved(final long wr) {
        final long wrId = NativeMemory.getLong(wr + SendWrDescriptor.WR_ID_OFFSET);
        return (wrId >>> INCARNATION_SHIFT & INCARNATION_MASK) > 1;
    }

    /** Posts one request of a chain, without a completion. */
    private static void postQuietly(final QueuePair qp, final long wr) {
        final long next = NativeMemory.getLong(wr + SendWrDescriptor.NEXT_OFFSET);
        final int flags = NativeMemory.getInt(wr + SendWrDescriptor.SEND_FLAGS_OFFSET);
        NativeMemory.putLong(wr + SendWrDescriptor.NEXT_OFFSET, 0);
        NativeMemory.putInt(wr + SendWrDescriptor.SEND_FLAGS_OFFSET, flags & ~SendFlags.SIGNALED);
        qp.postSend(wr);
        NativeMemory.putLong(wr + SendWrDescriptor.NEXT_OFFSET, next);
        NativeMemory.putInt(wr + SendWrDescriptor.SEND_FLAGS_OFFSET, flags);
    }

    private Object onCqCall(final CompletionQueue cq, final Method method, final Object[] arguments)
            throws Throwable {
        final Object result = call(cq, method, arguments);
        if (!method.getName().equals("poll") || !(result instanceof Integer count) || count <= 0
                || !(arguments[0] instanceof Long first) || !(arguments[1] instanceof Integer most)) {
            return result;
        }
        final long last = first + (count - 1L) * WcDescriptor.SIZE;
        if (!qpNums.contains(NativeMemory.getInt(last + WcDescriptor.QP_NUM_OFFSET))) {
            return result;
        }
        final boolean isSend = NativeMemory.getInt(last + WcDescriptor.OPCODE_OFFSET) == WcOpcode.SEND.code();
        if (mutation == Mutation.DATAGRAM_HEADER_DENIED && !isSend) {
            NativeMemory.putInt(last + WcDescriptor.WC_FLAGS_OFFSET, 0);
        } else if (mutation == Mutation.DATAGRAM_COMPLETED_TWICE && isSend && count < most && ++sends % ONE_IN == 0) {
            NativeMemory.copy(last, last + WcDescriptor.SIZE, WcDescriptor.SIZE);
            return count + 1;
        }
        return result;
    }
}
