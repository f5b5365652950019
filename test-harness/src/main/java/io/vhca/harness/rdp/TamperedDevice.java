package io.vhca.harness.rdp;

import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.NativeMemory;
import io.vhca.api.QueuePair;
import io.vhca.api.RecvWrDescriptor;
import io.vhca.api.SendWrDescriptor;
import io.vhca.api.SgeDescriptor;
import io.vhca.api.WcDescriptor;
import io.vhca.api.WcFlags;
import io.vhca.api.WcOpcode;
import io.vhca.api.WorkCompletion;
import io.vhca.api.WrOpcode;
import io.vhca.harness.sim.proxy.StandIns;
import io.vhca.rdp.wire.BareDescriptor;
import io.vhca.rdp.wire.ControlDescriptor;
import io.vhca.rdp.wire.MessageDescriptor;
import io.vhca.rdp.wire.MessageFlyweight;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;

/** A device between whose driver and its peers messages are changed: what a driver with a defect would say or hear. */
final class TamperedDevice extends StandIns {
    private static final byte UNKNOWN_KIND = 99;

    private final RdpMutation mutation;
    private final MessageFlyweight header = new MessageFlyweight();
    /** Where each posted receive puts its message. */
    private final Map<Long, Long> receives = new HashMap<>();
    /** The next sequence that a flow is made to have, by queue pair's session and flow. */
    private final Map<Long, Long> sequences = new HashMap<>();

    private TamperedDevice(final Context device, final RdpMutation mutation) {
        super(device);
        this.mutation = mutation;
    }

    /** The device, or one that is tampered with where the mutation asks for that. */
    static Context of(final Context device, final RdpMutation mutation) {
        return switch (mutation) {
            case ORDER_FORGOTTEN, STALL_IGNORED, UNSTALL_LOST, OFFER_LOST ->
                    new TamperedDevice(device, mutation).context();
            default -> device;
        };
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
    protected Object onQpCall(final QueuePair real, final Method method, final Object[] arguments) throws Throwable {
        if (arguments.length == 1 && arguments[0] instanceof Long wr) {
            if (method.getName().equals("postSend")) {
                if (NativeMemory.getInt(wr + SendWrDescriptor.OPCODE_OFFSET) == WrOpcode.SEND.code()) {
                    onSend(NativeMemory.getLong(wr + SendWrDescriptor.SG_LIST_OFFSET));
                }
            } else if (method.getName().equals("postRecv")) {
                receives.put(
                        NativeMemory.getLong(wr + RecvWrDescriptor.WR_ID_OFFSET),
                        address(wr + RecvWrDescriptor.SG_LIST_OFFSET));
            }
        }
        return super.onQpCall(real, method, arguments);
    }

    private static long address(final long listAt) {
        return NativeMemory.getLong(NativeMemory.getLong(listAt) + SgeDescriptor.ADDR_OFFSET);
    }

    private void onSend(final long sge) {
        final long message = NativeMemory.getLong(sge + SgeDescriptor.ADDR_OFFSET);
        if (mutation == RdpMutation.ORDER_FORGOTTEN
                || !header.wrap(message).isOurs(NativeMemory.getInt(sge + SgeDescriptor.LENGTH_OFFSET))
                || header.kind() != MessageDescriptor.CONTROL) {
            return;
        }
        final int lost = switch (mutation) {
            case STALL_IGNORED -> ControlDescriptor.STALL;
            case UNSTALL_LOST -> ControlDescriptor.UNSTALL;
            default -> ControlDescriptor.OFFER;
        };
        for (int at = 0; at < header.length(); at += ControlDescriptor.SIZE) {
            final long kind = message + MessageDescriptor.SIZE + at + ControlDescriptor.KIND_OFFSET;
            if (NativeMemory.getByte(kind) == lost) {
                NativeMemory.putByte(kind, UNKNOWN_KIND);
            }
        }
    }

    private Object onCqCall(final CompletionQueue cq, final Method method, final Object[] arguments)
            throws Throwable {
        final Object result = call(cq, method, arguments);
        if (mutation == RdpMutation.ORDER_FORGOTTEN && method.getName().equals("poll")
                && result instanceof Integer count && arguments[0] instanceof WorkCompletion wc) {
            for (int i = 0; i < count; i++) {
                onCompletion(wc.address() + (long) i * WcDescriptor.SIZE);
            }
        }
        return result;
    }

    private void onCompletion(final long wc) {
        final long wrId = NativeMemory.getLong(wc + WcDescriptor.WR_ID_OFFSET);
        final Long message = receives.get(wrId);
        if (message == null || NativeMemory.getInt(wc + WcDescriptor.STATUS_OFFSET) != 0
                || NativeMemory.getInt(wc + WcDescriptor.OPCODE_OFFSET) != WcOpcode.RECV.code()) {
            return;
        }
        if ((NativeMemory.getInt(wc + WcDescriptor.WC_FLAGS_OFFSET) & WcFlags.WITH_IMM) != 0) {
            final int says = Integer.reverseBytes(NativeMemory.getInt(wc + WcDescriptor.IMM_DATA_OFFSET));
            final int flowId = BareDescriptor.flowId(says);
            NativeMemory.putInt(
                    wc + WcDescriptor.IMM_DATA_OFFSET,
                    Integer.reverseBytes(BareDescriptor.encode(
                            flowId, nextSequence(wrId, flowId), BareDescriptor.flags(says))));
            return;
        }
        final boolean isOurs = header.wrap(message).isOurs(NativeMemory.getInt(wc + WcDescriptor.BYTE_LEN_OFFSET));
        if (isOurs && header.kind() == MessageDescriptor.DATA) {
            NativeMemory.putLong(
                    message + MessageDescriptor.FLOW_SEQUENCE_OFFSET,
                    Long.reverseBytes(nextSequence(wrId, header.flowId())));
        }
    }

    /** The node and the session are what wr_id has above the buffer's index, below the pool. */
    private long nextSequence(final long wrId, final int flowId) {
        return sequences.merge((wrId & 0xff_ffff_ff00_0000L) << 8 | flowId, 1L, Long::sum) - 1;
    }
}
