package io.vhca.physical.verbs.lib;

import io.vhca.api.AhAttributes;
import io.vhca.api.Mtu;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpState;
import io.vhca.api.QpType;
import io.vhca.api.ServiceClass;
import io.vhca.physical.rdmacore.ibv_ah_attr;
import io.vhca.physical.rdmacore.ibv_global_route;
import io.vhca.physical.rdmacore.ibv_qp_attr;
import io.vhca.physical.rdmacore.ibv_qp_cap;
import java.lang.foreign.MemorySegment;

/** Between the API's attribute records and {@code struct ibv_qp_attr}, {@code ibv_ah_attr}, {@code ibv_qp_cap}. */
public final class QpAttrCodec {
    private static final int DEFAULT_HOP_LIMIT = 64;

    private QpAttrCodec() {}

    public static void write(final MemorySegment attr, final QpAttributes from) {
        ibv_qp_attr.qp_state(attr, from.qpState().code());
        ibv_qp_attr.cur_qp_state(attr, from.curQpState().code());
        ibv_qp_attr.qp_access_flags(attr, from.accessFlags());
        ibv_qp_attr.pkey_index(attr, (short) from.pkeyIndex());
        ibv_qp_attr.port_num(attr, (byte) from.portNum());
        ibv_qp_attr.qkey(attr, from.qkey());
        ibv_qp_attr.path_mtu(attr, from.pathMtu().code());
        ibv_qp_attr.timeout(attr, (byte) from.timeout());
        ibv_qp_attr.retry_cnt(attr, (byte) from.retryCnt());
        ibv_qp_attr.rnr_retry(attr, (byte) from.rnrRetry());
        ibv_qp_attr.rq_psn(attr, from.rqPsn());
        ibv_qp_attr.sq_psn(attr, from.sqPsn());
        ibv_qp_attr.max_rd_atomic(attr, (byte) from.maxRdAtomic());
        ibv_qp_attr.max_dest_rd_atomic(attr, (byte) from.maxDestRdAtomic());
        ibv_qp_attr.min_rnr_timer(attr, (byte) from.minRnrTimer());
        ibv_qp_attr.dest_qp_num(attr, from.destQpNum());
        ibv_qp_attr.en_sqd_async_notify(attr, (byte) from.enSqdAsyncNotify());
        final AhAttributes ah = from.ah();
        if (ah != null) {
            writeAh(ibv_qp_attr.ah_attr(attr), ah);
        }
    }

    /** What a query answers, with the mask of what is valid for the type. */
    public static QpAttributes read(final MemorySegment attr, final QpType type) {
        final QpAttributes to = new QpAttributes()
                .qpState(QpState.fromCode(ibv_qp_attr.qp_state(attr)))
                .curQpState(QpState.fromCode(ibv_qp_attr.cur_qp_state(attr)))
                .pkeyIndex(Short.toUnsignedInt(ibv_qp_attr.pkey_index(attr)))
                .portNum(Byte.toUnsignedInt(ibv_qp_attr.port_num(attr)))
                .sqPsn(ibv_qp_attr.sq_psn(attr));
        if (type == QpType.UD) {
            return to.qkey(ibv_qp_attr.qkey(attr));
        }
        return to.accessFlags(ibv_qp_attr.qp_access_flags(attr))
                .ah(readAh(ibv_qp_attr.ah_attr(attr)))
                .pathMtu(Mtu.fromCode(ibv_qp_attr.path_mtu(attr)))
                .timeout(Byte.toUnsignedInt(ibv_qp_attr.timeout(attr)))
                .retryCnt(Byte.toUnsignedInt(ibv_qp_attr.retry_cnt(attr)))
                .rnrRetry(Byte.toUnsignedInt(ibv_qp_attr.rnr_retry(attr)))
                .rqPsn(ibv_qp_attr.rq_psn(attr))
                .maxRdAtomic(Byte.toUnsignedInt(ibv_qp_attr.max_rd_atomic(attr)))
                .maxDestRdAtomic(Byte.toUnsignedInt(ibv_qp_attr.max_dest_rd_atomic(attr)))
                .minRnrTimer(Byte.toUnsignedInt(ibv_qp_attr.min_rnr_timer(attr)))
                .destQpNum(ibv_qp_attr.dest_qp_num(attr));
    }

    public static void writeAh(final MemorySegment attr, final AhAttributes ah) {
        final MemorySegment grh = ibv_ah_attr.grh(attr);
        GidTable.writeGid(ibv_global_route.dgid(grh).address(), ah.dgid());
        ibv_global_route.sgid_index(grh, (byte) ah.sgidIndex());
        ibv_global_route.hop_limit(grh, (byte) (ah.hopLimit() == 0 ? DEFAULT_HOP_LIMIT : ah.hopLimit()));
        ibv_global_route.traffic_class(grh, (byte) ah.trafficClass());
        ibv_ah_attr.sl(attr, (byte) ah.serviceLevel());
        ibv_ah_attr.is_global(attr, (byte) 1);
        ibv_ah_attr.port_num(attr, (byte) ah.portNum());
    }

    private static AhAttributes readAh(final MemorySegment attr) {
        final MemorySegment grh = ibv_ah_attr.grh(attr);
        return new AhAttributes(
                GidTable.readGid(ibv_global_route.dgid(grh).address()),
                Byte.toUnsignedInt(ibv_global_route.sgid_index(grh)),
                Byte.toUnsignedInt(ibv_global_route.hop_limit(grh)),
                Byte.toUnsignedInt(ibv_global_route.traffic_class(grh)),
                Byte.toUnsignedInt(ibv_ah_attr.port_num(attr)),
                Byte.toUnsignedInt(ibv_ah_attr.sl(attr)));
    }

    /** Sets in an address vector what a class sets, and leaves the rest as it is. */
    public static void writeClass(final MemorySegment ahAttr, final ServiceClass wanted) {
        final MemorySegment grh = ibv_ah_attr.grh(ahAttr);
        if (wanted.trafficClass() != ServiceClass.UNSET) {
            ibv_global_route.traffic_class(grh, (byte) wanted.trafficClass());
        }
        if (wanted.serviceLevel() != ServiceClass.UNSET) {
            ibv_ah_attr.sl(ahAttr, (byte) wanted.serviceLevel());
        }
        if (wanted.hopLimit() != ServiceClass.UNSET) {
            ibv_global_route.hop_limit(grh, (byte) wanted.hopLimit());
        }
    }

    /** Traffic class and service level of an address vector; its hop limit is no wish of anybody's. */
    public static ServiceClass readClass(final MemorySegment ahAttr) {
        return ServiceClass.asked(
                Byte.toUnsignedInt(ibv_global_route.traffic_class(ibv_ah_attr.grh(ahAttr))),
                ibv_ah_attr.sl(ahAttr) & 0xf);
    }

    public static void writeCap(
            final MemorySegment cap,
            final int maxSendWr,
            final int maxRecvWr,
            final int maxSendSge,
            final int maxRecvSge,
            final int maxInlineData) {
        ibv_qp_cap.max_send_wr(cap, maxSendWr);
        ibv_qp_cap.max_recv_wr(cap, maxRecvWr);
        ibv_qp_cap.max_send_sge(cap, maxSendSge);
        ibv_qp_cap.max_recv_sge(cap, maxRecvSge);
        ibv_qp_cap.max_inline_data(cap, maxInlineData);
    }

    public static QpCapabilities readCap(final MemorySegment cap) {
        return new QpCapabilities(
                ibv_qp_cap.max_send_wr(cap),
                ibv_qp_cap.max_recv_wr(cap),
                ibv_qp_cap.max_send_sge(cap),
                ibv_qp_cap.max_recv_sge(cap),
                ibv_qp_cap.max_inline_data(cap));
    }
}
