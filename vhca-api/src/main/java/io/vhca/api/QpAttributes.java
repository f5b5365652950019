package io.vhca.api;

import org.jspecify.annotations.Nullable;

/**
 * Attributes of a QP with the mask of those that are set ({@code struct ibv_qp_attr}, ibv_modify_qp(3)).
 *
 * <p>Every setter adds its bit to {@link #mask()}. Mutable, not thread-safe; verbs do not keep a reference.
 */
public final class QpAttributes {
    private int mask;
    private QpState qpState = QpState.RESET;
    private QpState curQpState = QpState.RESET;
    private int accessFlags;
    private int pkeyIndex;
    private int portNum;
    private int qkey;
    private @Nullable AhAttributes ah;
    private Mtu pathMtu = Mtu.MTU_1024;
    private int timeout;
    private int retryCnt;
    private int rnrRetry;
    private int rqPsn;
    private int maxRdAtomic;
    private int minRnrTimer;
    private int sqPsn;
    private int maxDestRdAtomic;
    private int destQpNum;
    private int enSqdAsyncNotify;

    /** A combination of {@link QpAttrMask}: which attributes are set. */
    public int mask() {
        return mask;
    }

    /** True when every bit of {@code bits} is set. */
    public boolean has(final int bits) {
        return (mask & bits) == bits;
    }

    /** The state to move to. */
    public QpAttributes qpState(final QpState qpState) {
        this.qpState = qpState;
        mask |= QpAttrMask.STATE;
        return this;
    }

    public QpState qpState() {
        return qpState;
    }

    /** The state the caller believes the QP is in. */
    public QpAttributes curQpState(final QpState curQpState) {
        this.curQpState = curQpState;
        mask |= QpAttrMask.CUR_STATE;
        return this;
    }

    public QpState curQpState() {
        return curQpState;
    }

    /** Remote operations allowed, a combination of {@link AccessFlags}. */
    public QpAttributes accessFlags(final int accessFlags) {
        this.accessFlags = accessFlags;
        mask |= QpAttrMask.ACCESS_FLAGS;
        return this;
    }

    public int accessFlags() {
        return accessFlags;
    }

    /** Index into the P_Key table. */
    public QpAttributes pkeyIndex(final int pkeyIndex) {
        this.pkeyIndex = pkeyIndex;
        mask |= QpAttrMask.PKEY_INDEX;
        return this;
    }

    public int pkeyIndex() {
        return pkeyIndex;
    }

    /** Port the QP is bound to. */
    public QpAttributes portNum(final int portNum) {
        this.portNum = portNum;
        mask |= QpAttrMask.PORT;
        return this;
    }

    public int portNum() {
        return portNum;
    }

    /** Q_Key (UD). */
    public QpAttributes qkey(final int qkey) {
        this.qkey = qkey;
        mask |= QpAttrMask.QKEY;
        return this;
    }

    public int qkey() {
        return qkey;
    }

    /** Primary path. */
    public QpAttributes ah(final AhAttributes ah) {
        this.ah = ah;
        mask |= QpAttrMask.AV;
        return this;
    }

    public @Nullable AhAttributes ah() {
        return ah;
    }

    /** Path MTU. */
    public QpAttributes pathMtu(final Mtu pathMtu) {
        this.pathMtu = pathMtu;
        mask |= QpAttrMask.PATH_MTU;
        return this;
    }

    public Mtu pathMtu() {
        return pathMtu;
    }

    /** Local ack timeout: 4.096 us * 2^timeout, 0 means infinite; 5 bits. */
    public QpAttributes timeout(final int timeout) {
        this.timeout = timeout;
        mask |= QpAttrMask.TIMEOUT;
        return this;
    }

    public int timeout() {
        return timeout;
    }

    /** Retries before RETRY_EXC_ERR, 0 .. 7. */
    public QpAttributes retryCnt(final int retryCnt) {
        this.retryCnt = retryCnt;
        mask |= QpAttrMask.RETRY_CNT;
        return this;
    }

    public int retryCnt() {
        return retryCnt;
    }

    /** Retries after RNR NAK, 0 .. 6; 7 means without end. */
    public QpAttributes rnrRetry(final int rnrRetry) {
        this.rnrRetry = rnrRetry;
        mask |= QpAttrMask.RNR_RETRY;
        return this;
    }

    public int rnrRetry() {
        return rnrRetry;
    }

    /** First PSN expected, 24 bits. */
    public QpAttributes rqPsn(final int rqPsn) {
        this.rqPsn = rqPsn;
        mask |= QpAttrMask.RQ_PSN;
        return this;
    }

    public int rqPsn() {
        return rqPsn;
    }

    /** READs and atomics outstanding as initiator. */
    public QpAttributes maxRdAtomic(final int maxRdAtomic) {
        this.maxRdAtomic = maxRdAtomic;
        mask |= QpAttrMask.MAX_QP_RD_ATOMIC;
        return this;
    }

    public int maxRdAtomic() {
        return maxRdAtomic;
    }

    /** Code of the minimum RNR NAK timer, 0 .. 31. */
    public QpAttributes minRnrTimer(final int minRnrTimer) {
        this.minRnrTimer = minRnrTimer;
        mask |= QpAttrMask.MIN_RNR_TIMER;
        return this;
    }

    public int minRnrTimer() {
        return minRnrTimer;
    }

    /** First PSN sent, 24 bits. */
    public QpAttributes sqPsn(final int sqPsn) {
        this.sqPsn = sqPsn;
        mask |= QpAttrMask.SQ_PSN;
        return this;
    }

    public int sqPsn() {
        return sqPsn;
    }

    /** READs and atomics accepted as responder. */
    public QpAttributes maxDestRdAtomic(final int maxDestRdAtomic) {
        this.maxDestRdAtomic = maxDestRdAtomic;
        mask |= QpAttrMask.MAX_DEST_RD_ATOMIC;
        return this;
    }

    public int maxDestRdAtomic() {
        return maxDestRdAtomic;
    }

    /** QP number of the peer. */
    public QpAttributes destQpNum(final int destQpNum) {
        this.destQpNum = destQpNum;
        mask |= QpAttrMask.DEST_QPN;
        return this;
    }

    public int destQpNum() {
        return destQpNum;
    }

    /** Non-zero: raise SQ_DRAINED. */
    public QpAttributes enSqdAsyncNotify(final int enSqdAsyncNotify) {
        this.enSqdAsyncNotify = enSqdAsyncNotify;
        mask |= QpAttrMask.EN_SQD_ASYNC_NOTIFY;
        return this;
    }

    public int enSqdAsyncNotify() {
        return enSqdAsyncNotify;
    }

    /** Sets every attribute that is set in {@code other}. */
    public QpAttributes merge(final QpAttributes other) {
        if (other.has(QpAttrMask.STATE)) {
            qpState(other.qpState);
        }
        if (other.ah != null) {
            ah(other.ah);
        }
        if (other.has(QpAttrMask.CUR_STATE)) {
            curQpState(other.curQpState);
        }
        if (other.has(QpAttrMask.ACCESS_FLAGS)) {
            accessFlags(other.accessFlags);
        }
        if (other.has(QpAttrMask.PKEY_INDEX)) {
            pkeyIndex(other.pkeyIndex);
        }
        if (other.has(QpAttrMask.PORT)) {
            portNum(other.portNum);
        }
        if (other.has(QpAttrMask.QKEY)) {
            qkey(other.qkey);
        }
        if (other.has(QpAttrMask.PATH_MTU)) {
            pathMtu(other.pathMtu);
        }
        if (other.has(QpAttrMask.TIMEOUT)) {
            timeout(other.timeout);
        }
        if (other.has(QpAttrMask.RETRY_CNT)) {
            retryCnt(other.retryCnt);
        }
        if (other.has(QpAttrMask.RNR_RETRY)) {
            rnrRetry(other.rnrRetry);
        }
        if (other.has(QpAttrMask.RQ_PSN)) {
            rqPsn(other.rqPsn);
        }
        if (other.has(QpAttrMask.MAX_QP_RD_ATOMIC)) {
            maxRdAtomic(other.maxRdAtomic);
        }
        if (other.has(QpAttrMask.MIN_RNR_TIMER)) {
            minRnrTimer(other.minRnrTimer);
        }
        if (other.has(QpAttrMask.SQ_PSN)) {
            sqPsn(other.sqPsn);
        }
        if (other.has(QpAttrMask.MAX_DEST_RD_ATOMIC)) {
            maxDestRdAtomic(other.maxDestRdAtomic);
        }
        if (other.has(QpAttrMask.DEST_QPN)) {
            destQpNum(other.destQpNum);
        }
        if (other.has(QpAttrMask.EN_SQD_ASYNC_NOTIFY)) {
            enSqdAsyncNotify(other.enSqdAsyncNotify);
        }
        return this;
    }
}
