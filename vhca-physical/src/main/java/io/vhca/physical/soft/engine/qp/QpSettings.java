package io.vhca.physical.soft.engine.qp;

import io.vhca.api.AhAttributes;
import io.vhca.api.Errno;
import io.vhca.api.Mtu;
import io.vhca.api.QpAttrMask;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QpTransitions;
import io.vhca.api.VerbsException;
import io.vhca.physical.soft.engine.core.Path;
import io.vhca.physical.soft.engine.port.Port;
import io.vhca.physical.soft.wire.Wire;
import org.jspecify.annotations.Nullable;

/** The attributes that modifyQp sets: checked as a whole, then applied as a whole. The engine's owner. */
public final class QpSettings {
    private static final int MAX_TIMEOUT = 31;
    private static final int MAX_RETRY = 7;

    private @Nullable AhAttributes ah;
    private @Nullable Path path;
    private int accessFlags;
    private int portNum;
    private int qkey;
    private Mtu pathMtu = Mtu.MTU_1024;
    private int timeout;
    private int retryCnt;
    private int rnrRetry;
    private int rqPsn;
    private int sqPsn;
    private int maxRdAtomic;
    private int maxDestRdAtomic;
    private int minRnrTimer;
    private int destQpNum;
    private boolean isDrainNotified;

    QpSettings() {}

    /** The way to the peer, once it is known. */
    public @Nullable Path path() {
        return path;
    }

    /** What the packets' IP header says, 0 where nobody asked for anything. */
    public int trafficClass() {
        final AhAttributes vector = ah;
        return vector == null ? 0 : vector.trafficClass();
    }

    /** What the peer may do: a combination of {@link io.vhca.api.AccessFlags}. */
    public int accessFlags() {
        return accessFlags;
    }

    public int qkey() {
        return qkey;
    }

    public Mtu pathMtu() {
        return pathMtu;
    }

    /** Code of the local ack timeout: 4.096 us times 2 to the power of it, 0 for none. */
    public int timeout() {
        return timeout;
    }

    public int retryCnt() {
        return retryCnt;
    }

    public int rnrRetry() {
        return rnrRetry;
    }

    public int rqPsn() {
        return rqPsn;
    }

    public int sqPsn() {
        return sqPsn;
    }

    /** READs and atomics outstanding as initiator. */
    public int maxRdAtomic() {
        return maxRdAtomic;
    }

    /** READs and atomics outstanding as responder. */
    public int maxDestRdAtomic() {
        return maxDestRdAtomic;
    }

    public int minRnrTimer() {
        return minRnrTimer;
    }

    public int destQpNum() {
        return destQpNum;
    }

    /** True when SQ_DRAINED is wanted. */
    public boolean isDrainNotified() {
        return isDrainNotified;
    }

    /** Throws EINVAL for what may not be done; changes nothing. */
    void judge(final QpContext qp, final Port port, final QpAttributes to) {
        final QpState from = qp.state();
        if (qp.isClosed()) {
            throw refusal(qp, "the queue pair is closed");
        }
        if (to.has(QpAttrMask.CUR_STATE) && to.curQpState() != from) {
            throw refusal(qp, "it is in " + from + ", not in " + to.curQpState());
        }
        final QpState target = to.has(QpAttrMask.STATE) ? to.qpState() : from;
        final String fault = QpTransitions.judge(qp.type(), from, target, to.mask());
        if (!fault.isEmpty()) {
            throw refusal(qp, fault);
        }
        require(qp, to, QpAttrMask.PORT, to.portNum() == 1, "port_num must be 1");
        require(qp, to, QpAttrMask.PKEY_INDEX, to.pkeyIndex() == 0, "pkey_index must be 0");
        require(
                qp,
                to,
                QpAttrMask.PATH_MTU,
                to.pathMtu() != Mtu.UNKNOWN && to.pathMtu().bytes() <= port.mtu().bytes(),
                "path_mtu must be at most the port's " + port.mtu());
        require(qp, to, QpAttrMask.TIMEOUT, in(to.timeout(), MAX_TIMEOUT), "timeout must be 0 .. 31");
        require(qp, to, QpAttrMask.RETRY_CNT, in(to.retryCnt(), MAX_RETRY), "retry_cnt must be 0 .. 7");
        require(qp, to, QpAttrMask.RNR_RETRY, in(to.rnrRetry(), MAX_RETRY), "rnr_retry must be 0 .. 7");
        require(qp, to, QpAttrMask.MIN_RNR_TIMER, in(to.minRnrTimer(), MAX_TIMEOUT), "min_rnr_timer must be 0 .. 31");
        require(qp, to, QpAttrMask.RQ_PSN, in(to.rqPsn(), Wire.MASK_24), "rq_psn has 24 bits");
        require(qp, to, QpAttrMask.SQ_PSN, in(to.sqPsn(), Wire.MASK_24), "sq_psn has 24 bits");
        require(qp, to, QpAttrMask.DEST_QPN, in(to.destQpNum(), Wire.MASK_24), "dest_qp_num has 24 bits");
        final int most = qp.maxRdAtomic();
        require(qp, to, QpAttrMask.MAX_QP_RD_ATOMIC, in(to.maxRdAtomic(), most), "max_rd_atomic must be 0 .. " + most);
        require(
                qp,
                to,
                QpAttrMask.MAX_DEST_RD_ATOMIC,
                in(to.maxDestRdAtomic(), most),
                "max_dest_rd_atomic must be 0 .. " + most);
        final AhAttributes vector = to.ah();
        require(
                qp,
                to,
                QpAttrMask.AV,
                vector != null && !vector.dgid().isZero() && vector.sgidIndex() == port.gidIndex(),
                "ah needs a destination GID and the sgid_index of the port's GID");
        final String unfit = vector == null ? "" : vector.fault();
        require(qp, to, QpAttrMask.AV, unfit.isEmpty(), unfit);
    }

    private static boolean in(final int value, final int max) {
        return value >= 0 && value <= max;
    }

    private static void require(
            final QpContext qp, final QpAttributes to, final int bit, final boolean isRight, final String rule) {
        if (to.has(bit) && !isRight) {
            throw refusal(qp, rule);
        }
    }

    private static VerbsException refusal(final QpContext qp, final String detail) {
        return new VerbsException("modifyQp", Errno.EINVAL, qp.toString(), detail);
    }

    /** Takes over what is set in {@code to}, which has been judged. */
    void apply(final Port port, final QpAttributes to) {
        final AhAttributes vector = to.ah();
        if (to.has(QpAttrMask.AV) && vector != null) {
            // May throw, and then nothing is changed.
            final Path taken = port.path("modifyQp", vector);
            release(port);
            path = taken;
            ah = vector;
        }
        accessFlags = to.has(QpAttrMask.ACCESS_FLAGS) ? to.accessFlags() : accessFlags;
        portNum = to.has(QpAttrMask.PORT) ? to.portNum() : portNum;
        qkey = to.has(QpAttrMask.QKEY) ? to.qkey() : qkey;
        pathMtu = to.has(QpAttrMask.PATH_MTU) ? to.pathMtu() : pathMtu;
        timeout = to.has(QpAttrMask.TIMEOUT) ? to.timeout() : timeout;
        retryCnt = to.has(QpAttrMask.RETRY_CNT) ? to.retryCnt() : retryCnt;
        rnrRetry = to.has(QpAttrMask.RNR_RETRY) ? to.rnrRetry() : rnrRetry;
        rqPsn = to.has(QpAttrMask.RQ_PSN) ? to.rqPsn() : rqPsn;
        sqPsn = to.has(QpAttrMask.SQ_PSN) ? to.sqPsn() : sqPsn;
        maxRdAtomic = to.has(QpAttrMask.MAX_QP_RD_ATOMIC) ? to.maxRdAtomic() : maxRdAtomic;
        maxDestRdAtomic = to.has(QpAttrMask.MAX_DEST_RD_ATOMIC) ? to.maxDestRdAtomic() : maxDestRdAtomic;
        minRnrTimer = to.has(QpAttrMask.MIN_RNR_TIMER) ? to.minRnrTimer() : minRnrTimer;
        destQpNum = to.has(QpAttrMask.DEST_QPN) ? to.destQpNum() : destQpNum;
        // A wish of one drain, which lasts until it is over.
        isDrainNotified = to.has(QpAttrMask.EN_SQD_ASYNC_NOTIFY)
                ? to.enSqdAsyncNotify() != 0
                : isDrainNotified && !(to.has(QpAttrMask.STATE) && to.qpState() == QpState.RTS);
    }

    /** Gives the path to the peer back. */
    void release(final Port port) {
        final Path old = path;
        path = null;
        if (old != null) {
            port.release(old);
        }
    }

    /** Back to what a new QP has. */
    void clear(final Port port) {
        release(port);
        ah = null;
        accessFlags = 0;
        portNum = 0;
        qkey = 0;
        pathMtu = Mtu.MTU_1024;
        timeout = 0;
        retryCnt = 0;
        rnrRetry = 0;
        rqPsn = 0;
        sqPsn = 0;
        maxRdAtomic = 0;
        maxDestRdAtomic = 0;
        minRnrTimer = 0;
        destQpNum = 0;
        isDrainNotified = false;
    }

    public QpAttributes toAttributes(final QpState state) {
        final QpAttributes all = new QpAttributes()
                .qpState(state)
                .curQpState(state)
                .accessFlags(accessFlags)
                .pkeyIndex(0)
                .portNum(portNum)
                .qkey(qkey)
                .pathMtu(pathMtu)
                .timeout(timeout)
                .retryCnt(retryCnt)
                .rnrRetry(rnrRetry)
                .rqPsn(rqPsn)
                .maxRdAtomic(maxRdAtomic)
                .minRnrTimer(minRnrTimer)
                .sqPsn(sqPsn)
                .maxDestRdAtomic(maxDestRdAtomic)
                .destQpNum(destQpNum);
        final AhAttributes vector = ah;
        return vector != null ? all.ah(vector) : all;
    }
}
