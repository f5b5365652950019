package io.vhca.physical.verbs.lib;

import io.vhca.api.NativeMemory;
import io.vhca.api.RecvWrDescriptor;
import io.vhca.api.SendWrDescriptor;
import io.vhca.api.SgeDescriptor;
import io.vhca.api.WcDescriptor;
import io.vhca.physical.rdmacore.ibv_context;
import io.vhca.physical.rdmacore.ibv_context_ops;
import io.vhca.physical.rdmacore.ibv_recv_wr;
import io.vhca.physical.rdmacore.ibv_send_wr;
import io.vhca.physical.rdmacore.ibv_sge;
import io.vhca.physical.rdmacore.ibv_wc;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.GroupLayout;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * The verbs that verbs.h defines as static inline functions: calls through the context's operations table, {@code
 * struct ibv_context_ops}. Allocation-free; the function's address comes first, everything is a number. None is marked
 * critical: a provider may enter the kernel. Any thread.
 *
 * <p>What goes through here is laid out by vhca-api's flyweights; that they are the C structs is asserted when this
 * class is loaded.
 */
public final class DataPath {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    /**
     * {@code int (*)(struct ibv_qp *, struct ibv_send_wr *, struct ibv_send_wr **)} and its like for receives,
     * SRQs.
     */
    private static final MethodHandle POST = handle(FunctionDescriptor.of(INT, LONG, LONG, LONG));
    /** {@code int (*)(struct ibv_cq *, int, struct ibv_wc *)}. */
    private static final MethodHandle POLL_CQ = handle(FunctionDescriptor.of(INT, LONG, INT, LONG));
    /** {@code int (*)(struct ibv_cq *, int)}. */
    private static final MethodHandle REQ_NOTIFY_CQ = handle(FunctionDescriptor.of(INT, LONG, INT));

    private static final long OPS_OFFSET =
            ibv_context.layout().byteOffset(MemoryLayout.PathElement.groupElement("ops"));

    static {
        same("ibv_send_wr", SendWrDescriptor.SIZE, ibv_send_wr.layout().byteSize());
        same("ibv_send_wr.opcode", SendWrDescriptor.OPCODE_OFFSET, ibv_send_wr.opcode$offset());
        same("ibv_send_wr.imm_data", SendWrDescriptor.IMM_DATA_OFFSET, offset(ibv_send_wr.layout(), "imm_data"));
        same("ibv_recv_wr", RecvWrDescriptor.SIZE, ibv_recv_wr.layout().byteSize());
        same("ibv_recv_wr.num_sge", RecvWrDescriptor.NUM_SGE_OFFSET, ibv_recv_wr.num_sge$offset());
        same("ibv_sge", SgeDescriptor.SIZE, ibv_sge.layout().byteSize());
        same("ibv_sge.lkey", SgeDescriptor.LKEY_OFFSET, ibv_sge.lkey$offset());
        same("ibv_wc", WcDescriptor.SIZE, ibv_wc.layout().byteSize());
        same("ibv_wc.qp_num", WcDescriptor.QP_NUM_OFFSET, ibv_wc.qp_num$offset());
        same("ibv_wc.wc_flags", WcDescriptor.WC_FLAGS_OFFSET, ibv_wc.wc_flags$offset());
    }

    private DataPath() {}

    private static void same(final String what, final long ours, final long theirs) {
        if (ours != theirs) {
            throw new ExceptionInInitializerError(what + ": vhca-api says " + ours + ", libibverbs " + theirs);
        }
    }

    /** Offset of a member that may lie inside an anonymous union. */
    private static long offset(final GroupLayout layout, final String name) {
        long offset = 0;
        for (final MemoryLayout member : layout.memberLayouts()) {
            if (member instanceof final GroupLayout group
                    && group.memberLayouts().stream()
                            .anyMatch(inner -> inner.name().filter(name::equals).isPresent())) {
                return offset + group.byteOffset(MemoryLayout.PathElement.groupElement(name));
            }
            offset += member.byteSize();
        }
        return -1;
    }

    private static MethodHandle handle(final FunctionDescriptor descriptor) {
        return Linker.nativeLinker().downcallHandle(descriptor);
    }

    /** Address of a function of a context's table. */
    private static MemorySegment function(final long context, final long offsetInOps) {
        return MemorySegment.ofAddress(NativeMemory.getLong(context + OPS_OFFSET + offsetInOps));
    }

    public static MemorySegment postSendFunction(final long context) {
        return function(context, ibv_context_ops.post_send$offset());
    }

    public static MemorySegment postRecvFunction(final long context) {
        return function(context, ibv_context_ops.post_recv$offset());
    }

    public static MemorySegment postSrqRecvFunction(final long context) {
        return function(context, ibv_context_ops.post_srq_recv$offset());
    }

    public static MemorySegment pollCqFunction(final long context) {
        return function(context, ibv_context_ops.poll_cq$offset());
    }

    public static MemorySegment reqNotifyCqFunction(final long context) {
        return function(context, ibv_context_ops.req_notify_cq$offset());
    }

    /** 0, or an errno; then {@code *badWr} is the first request refused. */
    public static int post(final MemorySegment function, final long queue, final long wr, final long badWr) {
        try {
            return (int) POST.invokeExact(function, queue, wr, badWr);
        } catch (final Throwable e) {
            throw unexpected(e);
        }
    }

    /** How many completions were written, or below 0. */
    public static int pollCq(final MemorySegment function, final long cq, final int maxEntries, final long wc) {
        try {
            return (int) POLL_CQ.invokeExact(function, cq, maxEntries, wc);
        } catch (final Throwable e) {
            throw unexpected(e);
        }
    }

    /** 0, or an errno. */
    public static int reqNotifyCq(final MemorySegment function, final long cq, final int solicitedOnly) {
        try {
            return (int) REQ_NOTIFY_CQ.invokeExact(function, cq, solicitedOnly);
        } catch (final Throwable e) {
            throw unexpected(e);
        }
    }

    private static AssertionError unexpected(final Throwable e) {
        return new AssertionError("a downcall does not throw", e);
    }
}
