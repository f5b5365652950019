package io.vhca.physical.verbs;

import io.vhca.api.DeviceAttributes;
import io.vhca.api.QpAttrMask;
import io.vhca.api.QpState;
import io.vhca.api.QpType;
import io.vhca.api.ServiceClass;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.physical.rdmacore.ibv_qp_attr;
import io.vhca.physical.verbs.lib.ConnParamCodec;
import io.vhca.physical.verbs.lib.QpAttrCodec;
import io.vhca.physical.verbs.lib.RdmaCm;
import io.vhca.physical.verbs.lib.VerbFailure;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Moves the QP of an id of the connection manager through INIT, RTR and RTS by the attributes that the kernel gives for
 * it ({@code rdma_init_qp_attr}).
 */
final class QpBringUp {
    /** What ibv_modify_qp knows; the kernel's answer may have bits of its own above. */
    private static final int KNOWN_MASK = (QpAttrMask.DEST_QPN << 1) - 1;

    /**
     * 0.64 ms, code 12 of the table of ibv_modify_qp(3). The kernel leaves 0 there, which stands for the longest time,
     * 655 ms: too long to find out that a receive was posted a moment later.
     */
    private static final byte MIN_RNR_TIMER = 12;

    private QpBringUp() {}

    private static int attributes(
            final long id, final MemorySegment attr, final QpState state, final Object object) {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment mask = arena.allocate(ValueLayout.JAVA_INT);
            ibv_qp_attr.qp_state(attr, state.code());
            final int failed = RdmaCm.INIT_QP_ATTR.status(id, attr.address(), mask.address());
            if (failed < 0) {
                throw VerbFailure.of("initQpAttr", failed, object + " to " + state);
            }
            ibv_qp_attr.qp_state(attr, state.code());
            return mask.get(ValueLayout.JAVA_INT, 0) & KNOWN_MASK | QpAttrMask.STATE;
        }
    }

    /** What the kernel would ask of the fabric for the id's QP: of a passive id what the request says. */
    static ServiceClass serviceClass(final long id, final String object) {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment attr = arena.allocate(ibv_qp_attr.layout());
            attributes(id, attr, QpState.RTR, object);
            return QpAttrCodec.readClass(ibv_qp_attr.ah_attr(attr));
        }
    }

    /** To INIT; a UD QP, which has no peer, to RTS. */
    static void toInit(final long id, final VerbsQp qp) {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment attr = arena.allocate(ibv_qp_attr.layout());
            qp.modify(attr, attributes(id, attr, QpState.INIT, qp));
            if (qp.qpType() == QpType.UD) {
                ibv_qp_attr.qp_state(attr, QpState.RTR.code());
                qp.modify(attr, QpAttrMask.STATE);
                ibv_qp_attr.qp_state(attr, QpState.RTS.code());
                ibv_qp_attr.sq_psn(attr, 0);
                qp.modify(attr, QpAttrMask.STATE | QpAttrMask.SQ_PSN);
            }
        }
    }

    /**
     * From INIT to RTS, once the peer is known.
     *
     * @param ackTimeout of the QP, -1 for what the kernel says
     * @param rnrRetry   of the QP, -1 for what the peer says
     * @param wanted     what its packets ask of the fabric, where that is not what the kernel says
     */
    static void connect(
            final long id,
            final VerbsQp qp,
            final ConnectParameters parameters,
            final DeviceAttributes limits,
            final int ackTimeout,
            final int rnrRetry,
            final ServiceClass wanted) {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment attr = arena.allocate(ibv_qp_attr.layout());
            // Once more to INIT: only now the kernel knows whether the peer may read.
            qp.modify(attr, attributes(id, attr, QpState.INIT, qp));
            final int toRtr = attributes(id, attr, QpState.RTR, qp);
            final int resources = ConnParamCodec.atMost(parameters.responderResources(), limits.maxQpRdAtom());
            if (resources < Byte.toUnsignedInt(ibv_qp_attr.max_dest_rd_atomic(attr))) {
                ibv_qp_attr.max_dest_rd_atomic(attr, (byte) resources);
            }
            ibv_qp_attr.min_rnr_timer(attr, MIN_RNR_TIMER);
            QpAttrCodec.writeClass(ibv_qp_attr.ah_attr(attr), wanted);
            qp.modify(attr, toRtr);
            final int toRts = attributes(id, attr, QpState.RTS, qp);
            final int depth = ConnParamCodec.atMost(parameters.initiatorDepth(), limits.maxQpInitRdAtom());
            if (depth < Byte.toUnsignedInt(ibv_qp_attr.max_rd_atomic(attr))) {
                ibv_qp_attr.max_rd_atomic(attr, (byte) depth);
            }
            if (ackTimeout >= 0) {
                ibv_qp_attr.timeout(attr, (byte) ackTimeout);
            }
            if (rnrRetry >= 0) {
                ibv_qp_attr.rnr_retry(attr, (byte) rnrRetry);
            }
            qp.modify(attr, toRts);
        }
    }
}
