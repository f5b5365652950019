package io.vhca.physical.verbs.lib;

import io.vhca.api.DeviceAttributes;
import io.vhca.api.NativeMemory;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.physical.rdmacore.rdma_cm_event;
import io.vhca.physical.rdmacore.rdma_conn_param;
import io.vhca.physical.rdmacore.rdma_ud_param;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;

/** Between connection parameters and {@code struct rdma_conn_param}, {@code struct rdma_ud_param}. */
public final class ConnParamCodec {
    private static final int MOST_RETRIES = 7;

    private ConnParamCodec() {}

    /**
     * @param qpNum the id's own QP
     * @param onSrq whether that QP receives through an SRQ
     */
    public static MemorySegment write(
            final SegmentAllocator allocator,
            final ConnectParameters from,
            final DeviceAttributes limits,
            final int qpNum,
            final boolean onSrq) {
        final MemorySegment to = allocator.allocate(rdma_conn_param.layout());
        rdma_conn_param.private_data(to, bytes(allocator, from.privateData()));
        rdma_conn_param.private_data_len(to, (byte) from.privateData().length);
        rdma_conn_param.responder_resources(to, (byte) atMost(from.responderResources(), limits.maxQpRdAtom()));
        rdma_conn_param.initiator_depth(to, (byte) atMost(from.initiatorDepth(), limits.maxQpInitRdAtom()));
        rdma_conn_param.flow_control(to, (byte) 1);
        rdma_conn_param.retry_count(to, (byte) Math.min(from.retryCount(), MOST_RETRIES));
        rdma_conn_param.rnr_retry_count(to, (byte) Math.min(from.rnrRetryCount(), MOST_RETRIES));
        rdma_conn_param.srq(to, (byte) (onSrq ? 1 : 0));
        rdma_conn_param.qp_num(to, qpNum);
        return to;
    }

    /** The device's limit counts, and 255 means "as many as there are" to librdmacm. */
    public static int atMost(final int wanted, final int limit) {
        return Math.max(0, Math.min(Math.min(wanted, limit), 254));
    }

    public static MemorySegment bytes(final SegmentAllocator allocator, final byte[] data) {
        final MemorySegment copy = allocator.allocate(Math.max(1, data.length));
        MemorySegment.copy(MemorySegment.ofArray(data), 0, copy, 0, data.length);
        return copy;
    }

    /** Parameters of an event, without private data. */
    public static ConnectParameters read(final MemorySegment event, final CmPortSpace portSpace) {
        final MemorySegment param = rdma_cm_event.param(event);
        if (portSpace == CmPortSpace.UDP) {
            final MemorySegment ud = rdma_cm_event.param.ud(param);
            return new ConnectParameters(
                    new byte[0], 0, 0, 0, 0, rdma_ud_param.qp_num(ud), rdma_ud_param.qkey(ud));
        }
        final MemorySegment conn = rdma_cm_event.param.conn(param);
        return new ConnectParameters(
                new byte[0],
                Byte.toUnsignedInt(rdma_conn_param.responder_resources(conn)),
                Byte.toUnsignedInt(rdma_conn_param.initiator_depth(conn)),
                Byte.toUnsignedInt(rdma_conn_param.retry_count(conn)),
                Byte.toUnsignedInt(rdma_conn_param.rnr_retry_count(conn)),
                rdma_conn_param.qp_num(conn),
                0);
    }

    /** Private data of an event; both structs begin with it. */
    public static byte[] readPrivateData(final MemorySegment event) {
        final long param = rdma_cm_event.param(event).address();
        final long data = NativeMemory.getLong(param + rdma_conn_param.private_data$offset());
        final int length = Byte.toUnsignedInt(NativeMemory.getByte(param + rdma_conn_param.private_data_len$offset()));
        final byte[] copy = new byte[data == 0 ? 0 : length];
        MemorySegment.copy(NativeMemory.segment(data, copy.length), 0, MemorySegment.ofArray(copy), 0, copy.length);
        return copy;
    }
}
