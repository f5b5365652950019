package io.vhca.api.cm;

/**
 * Parameters of connect and accept ({@code struct rdma_conn_param}, rdma_connect(3)).
 *
 * @param privateData        at most 56 bytes in a connect, 196 in an accept, 136 in one of RDMA_PS_UDP (over
 *                           InfiniBand and RoCE); on ids of a bond 32, or 16 where it has a key, 80 and 112
 * @param responderResources READs and atomics accepted from the peer
 * @param initiatorDepth     READs and atomics started at the peer
 * @param retryCount         0 .. 7 (ignored by accept, and by a bond, whose option {@code retry_cnt} holds)
 * @param rnrRetryCount      0 .. 7, 7 means without end
 * @param qpNum              QP number for ids without a QP of their own (UD: the peer's); else ignored
 * @param qkey               Q_Key (UD only)
 */
public record ConnectParameters(
        byte[] privateData,
        int responderResources,
        int initiatorDepth,
        int retryCount,
        int rnrRetryCount,
        int qpNum,
        int qkey) {
    /** Largest private data of a connect. */
    public static final int MAX_REQ_PRIVATE_DATA = 56;

    /** Largest private data of an accept of RDMA_PS_TCP. */
    public static final int MAX_REP_PRIVATE_DATA = 196;

    /** Largest private data of a reject of RDMA_PS_TCP; a bond's own record leaves less, see {@link CmId#reject}. */
    public static final int MAX_REJ_PRIVATE_DATA = 148;

    /** Largest private data of an accept or a reject of RDMA_PS_UDP. */
    public static final int MAX_SIDR_REP_PRIVATE_DATA = 136;

    /** Q_Key of the queue pairs of ids of RDMA_PS_UDP, unless another one is agreed on ({@code RDMA_UDP_QKEY}). */
    public static final int UDP_QKEY = 0x0123_4567;

    /** The count of retries that never ends, where the peer has no receive. */
    public static final int ENDLESS_RNR_RETRY = 7;

    /** 16 READs each way, 7 retries, endless RNR retries. */
    public static ConnectParameters of(final byte[] privateData) {
        return new ConnectParameters(privateData, 16, 16, 7, ENDLESS_RNR_RETRY, 0, 0);
    }

    /** The same with another QP number. */
    public ConnectParameters withQpNum(final int number) {
        return new ConnectParameters(
                privateData, responderResources, initiatorDepth, retryCount, rnrRetryCount, number, qkey);
    }

    /** The same with a copy of the private data: the array is the caller's again once the call returns. */
    public ConnectParameters copy() {
        return new ConnectParameters(
                privateData.clone(), responderResources, initiatorDepth, retryCount, rnrRetryCount, qpNum, qkey);
    }
}
