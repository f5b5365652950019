package io.vhca.api;

/**
 * The table that judges every modifyQp: which moves are legal, which attributes each needs and allows.
 *
 * <p>Source: ibv_modify_qp(3) and InfiniBand Architecture Specification vol. 1, section 11.2.4.2. To RESET and to ERR
 * every state may move. Pure; any thread.
 */
public final class QpTransitions {
    private static final int STATES = 7;
    private static final int ILLEGAL = -1;
    private static final int[][][] REQUIRED = new int[QpType.UD.code() + 1][STATES][STATES];
    private static final int[][][] OPTIONAL = new int[QpType.UD.code() + 1][STATES][STATES];

    static {
        for (final int[][] ofType : REQUIRED) {
            for (final int[] ofState : ofType) {
                java.util.Arrays.fill(ofState, ILLEGAL);
            }
        }
        connected(QpType.RC, QpAttrMask.MAX_DEST_RD_ATOMIC | QpAttrMask.MIN_RNR_TIMER, rcRts(),
                QpAttrMask.MIN_RNR_TIMER);
        connected(QpType.UC, 0, QpAttrMask.SQ_PSN, 0);
        datagram();
    }

    private QpTransitions() {}

    private static int rcRts() {
        return QpAttrMask.TIMEOUT
                | QpAttrMask.RETRY_CNT
                | QpAttrMask.RNR_RETRY
                | QpAttrMask.SQ_PSN
                | QpAttrMask.MAX_QP_RD_ATOMIC;
    }

    private static void connected(final QpType type, final int rtrExtra, final int rts, final int liveExtra) {
        final int init = QpAttrMask.PKEY_INDEX | QpAttrMask.PORT | QpAttrMask.ACCESS_FLAGS;
        final int rtr = QpAttrMask.AV | QpAttrMask.PATH_MTU | QpAttrMask.DEST_QPN | QpAttrMask.RQ_PSN | rtrExtra;
        final int live = QpAttrMask.ACCESS_FLAGS
                | QpAttrMask.ALT_PATH
                | QpAttrMask.PATH_MIG_STATE
                | QpAttrMask.CUR_STATE
                | liveExtra;
        final int drained = QpAttrMask.AV
                | QpAttrMask.ACCESS_FLAGS
                | QpAttrMask.PKEY_INDEX
                | QpAttrMask.PORT
                | QpAttrMask.ALT_PATH
                | QpAttrMask.PATH_MIG_STATE
                | (type == QpType.RC ? rcRts() & ~QpAttrMask.SQ_PSN | QpAttrMask.MAX_DEST_RD_ATOMIC : 0)
                | liveExtra;
        resetAndError(type);
        allow(type, QpState.RESET, QpState.INIT, init, 0);
        allow(type, QpState.INIT, QpState.INIT, 0, init);
        allow(type, QpState.INIT, QpState.RTR, rtr,
                QpAttrMask.ALT_PATH | QpAttrMask.ACCESS_FLAGS | QpAttrMask.PKEY_INDEX);
        allow(type, QpState.RTR, QpState.RTS, rts, live);
        allow(type, QpState.RTS, QpState.RTS, 0, live);
        allow(type, QpState.RTS, QpState.SQD, 0, QpAttrMask.EN_SQD_ASYNC_NOTIFY);
        allow(type, QpState.SQD, QpState.SQD, 0, drained);
        allow(type, QpState.SQD, QpState.RTS, 0, live);
        if (type != QpType.RC) {
            allow(type, QpState.SQE, QpState.RTS, 0, QpAttrMask.ACCESS_FLAGS | QpAttrMask.CUR_STATE);
        }
    }

    private static void datagram() {
        final int live = QpAttrMask.QKEY | QpAttrMask.CUR_STATE;
        final int init = QpAttrMask.PKEY_INDEX | QpAttrMask.PORT | QpAttrMask.QKEY;
        resetAndError(QpType.UD);
        allow(QpType.UD, QpState.RESET, QpState.INIT, init, 0);
        allow(QpType.UD, QpState.INIT, QpState.INIT, 0, init);
        allow(QpType.UD, QpState.INIT, QpState.RTR, 0, QpAttrMask.PKEY_INDEX | QpAttrMask.QKEY);
        allow(QpType.UD, QpState.RTR, QpState.RTS, QpAttrMask.SQ_PSN, live);
        allow(QpType.UD, QpState.RTS, QpState.RTS, 0, live);
        allow(QpType.UD, QpState.RTS, QpState.SQD, 0, QpAttrMask.EN_SQD_ASYNC_NOTIFY);
        allow(QpType.UD, QpState.SQD, QpState.SQD, 0, QpAttrMask.PKEY_INDEX | QpAttrMask.QKEY);
        allow(QpType.UD, QpState.SQD, QpState.RTS, 0, live);
        allow(QpType.UD, QpState.SQE, QpState.RTS, 0, live);
    }

    private static void resetAndError(final QpType type) {
        for (int from = 0; from < STATES; from++) {
            REQUIRED[type.code()][from][QpState.RESET.code()] = 0;
            REQUIRED[type.code()][from][QpState.ERR.code()] = 0;
        }
    }

    private static void allow(
            final QpType type, final QpState from, final QpState to, final int required, final int optional) {
        REQUIRED[type.code()][from.code()][to.code()] = required;
        OPTIONAL[type.code()][from.code()][to.code()] = optional;
    }

    /** True when a QP of that type may move from one state to the other at all. */
    public static boolean isLegal(final QpType type, final QpState from, final QpState to) {
        return from.code() >= 0 && to.code() >= 0 && REQUIRED[type.code()][from.code()][to.code()] != ILLEGAL;
    }

    /** Attributes that the move needs besides STATE, a combination of {@link QpAttrMask}; -1 for an illegal move. */
    public static int required(final QpType type, final QpState from, final QpState to) {
        return REQUIRED[type.code()][from.code()][to.code()];
    }

    /** Attributes that the move allows besides STATE and those required. */
    public static int optional(final QpType type, final QpState from, final QpState to) {
        return OPTIONAL[type.code()][from.code()][to.code()];
    }

    /**
     * Judges one modifyQp.
     *
     * @param mask the attributes set; without STATE the state is kept
     * @return an empty string when it is legal, else what is wrong in one sentence
     */
    public static String judge(final QpType type, final QpState from, final QpState to, final int mask) {
        if (!isLegal(type, from, to)) {
            return "a " + type + " queue pair cannot go from " + from + " to " + to;
        }
        final int given = mask & ~QpAttrMask.STATE;
        final int required = required(type, from, to);
        final int missing = required & ~given;
        if (missing != 0) {
            return "going from " + from + " to " + to + " needs " + names(missing);
        }
        final int excess = given & ~(required | optional(type, from, to));
        return excess == 0 ? "" : "going from " + from + " to " + to + " does not allow " + names(excess);
    }

    private static String names(final int mask) {
        final String[] names = {
            "STATE", "CUR_STATE", "EN_SQD_ASYNC_NOTIFY", "ACCESS_FLAGS", "PKEY_INDEX", "PORT", "QKEY", "AV", "PATH_MTU",
            "TIMEOUT", "RETRY_CNT", "RNR_RETRY", "RQ_PSN", "MAX_QP_RD_ATOMIC", "ALT_PATH", "MIN_RNR_TIMER", "SQ_PSN",
            "MAX_DEST_RD_ATOMIC", "PATH_MIG_STATE", "CAP", "DEST_QPN"
        };
        final StringBuilder text = new StringBuilder();
        for (int bit = 0; bit < names.length; bit++) {
            if ((mask & 1 << bit) != 0) {
                text.append(text.isEmpty() ? "" : ", ").append(names[bit]);
            }
        }
        return text.toString();
    }
}
