package io.vhca.bond.queue;

import io.vhca.api.NativeMemory;
import io.vhca.api.SendWrDescriptor;
import io.vhca.api.WcDescriptor;
import io.vhca.bond.memory.GatedMemory;
import io.vhca.bond.trace.TraceEventDescriptor;
import io.vhca.bond.trace.TraceObject;
import io.vhca.bond.trace.TraceSink;
import io.vhca.bond.trace.Traced;
import org.jspecify.annotations.Nullable;

/**
 * The gate of a queue that can tell what passes it. Where nobody asked, that costs one look at a field that the gate's
 * holder has at hand anyhow.
 *
 * <p>Threads: what is told is told inside the gate, and so is who hears it.
 */
public abstract class TracedGate extends SpinGate implements Traced, GatedMemory {
    private @Nullable TraceSink tracer;
    private long tracedObject;

    /** Whose queue it is, before it is made known. */
    public final void isOf(final int qpNum) {
        tracedObject = TraceObject.qp(qpNum);
    }

    @Override
    public final long tracedObject() {
        return tracedObject;
    }

    @Override
    public final void traceTo(final @Nullable TraceSink sink) {
        enter();
        tracer = sink;
        onChanged();
        leave();
    }

    /** Who hears it has changed, or something else that is rarely looked at. Inside the gate. */
    protected void onChanged() {}

    /** Whether anybody hears what passes. Inside the gate. */
    protected final boolean isTraced() {
        return tracer != null;
    }

    /**
     * A chain of requests was taken, or refused.
     *
     * @param accepted how many were taken, or a negative errno
     * @param last     the sequence of the last one
     */
    protected final void tellPosted(final int event, final long wrAddress, final int accepted, final long last) {
        final TraceSink to = tracer;
        if (to != null) {
            // Sends and receives begin alike; what is an opcode there is a part of num_sge's padding here.
            final long wrId = NativeMemory.getLong(wrAddress + SendWrDescriptor.WR_ID_OFFSET);
            if (accepted < 0) {
                to.record(TraceEventDescriptor.POST_REFUSED, tracedObject, wrId, -accepted, 0, 0);
            } else {
                final int opcode = event == TraceEventDescriptor.POSTED_SEND
                        ? NativeMemory.getInt(wrAddress + SendWrDescriptor.OPCODE_OFFSET)
                        : 0;
                to.record(event, tracedObject, wrId, last, accepted, opcode);
            }
        }
    }

    /** Completions were given to the application. */
    protected final void tellPolled(final long wcAddress, final int count) {
        final TraceSink to = tracer;
        if (to == null) {
            return;
        }
        if (count == 0) {
            to.idle();
        }
        for (int i = 0; i < count; i++) {
            final long wc = wcAddress + (long) i * WcDescriptor.SIZE;
            to.record(
                    TraceEventDescriptor.POLLED,
                    TraceObject.qp(NativeMemory.getInt(wc + WcDescriptor.QP_NUM_OFFSET)),
                    NativeMemory.getLong(wc + WcDescriptor.WR_ID_OFFSET),
                    NativeMemory.getInt(wc + WcDescriptor.OPCODE_OFFSET),
                    NativeMemory.getInt(wc + WcDescriptor.STATUS_OFFSET),
                    Integer.toUnsignedLong(NativeMemory.getInt(wc + WcDescriptor.BYTE_LEN_OFFSET)));
        }
    }
}
