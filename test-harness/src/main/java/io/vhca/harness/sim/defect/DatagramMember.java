package io.vhca.harness.sim.defect;

import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.NativeMemory;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpType;
import io.vhca.api.QueuePair;
import io.vhca.api.SendWrDescriptor;
import io.vhca.api.WcDescriptor;
import io.vhca.api.WcOpcode;
import io.vhca.harness.sim.proxy.StandIns;
import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.Set;

/** A member whose UD queue pairs behave as under a bond that serves them badly: what is wrong is the subclass's. */
abstract class DatagramMember extends StandIns {
    private static final int INCARNATION_SHIFT = 44;
    private static final int INCARNATION_MASK = 0xffff;

    private final Set<Integer> qpNums = new HashSet<>();

    DatagramMember(final Context device) {
        super(device);
    }

    /**
     * A chain is about to be posted to a UD queue pair that is not the first one of its vQP.
     *
     * @param isFirst nothing was posted to it before
     */
    void onPostAfterMove(final QueuePair qp, final long firstWr, final boolean isFirst) {}

    /**
     * A completion of a UD queue pair is the last of those polled; what it says may be changed.
     *
     * @param hasRoom there is room for one more behind it
     * @return how many completions are added behind it
     */
    int onLastCompletion(final long wc, final boolean isSend, final boolean hasRoom) {
        return 0;
    }

    @Override
    protected Object onContextCall(final Context real, final Method method, final Object[] arguments)
            throws Throwable {
        final Object result = super.onContextCall(real, method, arguments);
        return result instanceof CompletionQueue cq
                ? stand(CompletionQueue.class, cq, (called, given) -> onCqCall(cq, called, given))
                : result;
    }

    @Override
    protected Object onPdCall(final ProtectionDomain real, final Method method, final Object[] arguments)
            throws Throwable {
        final Object result = super.onPdCall(real, method, arguments);
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
        if (method.getName().equals("postSend") && arguments[0] instanceof Long first && hasMoved(first)) {
            onPostAfterMove(qp, first, !isUsed[0]);
            isUsed[0] = true;
        }
        return call(qp, method, arguments);
    }

    private static boolean hasMoved(final long wr) {
        final long wrId = NativeMemory.getLong(wr + SendWrDescriptor.WR_ID_OFFSET);
        return (wrId >>> INCARNATION_SHIFT & INCARNATION_MASK) > 1;
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
        return count + onLastCompletion(last, isSend, count < most);
    }
}
