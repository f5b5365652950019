package io.vhca.api;

import org.jspecify.annotations.Nullable;

/** What a device that executes its transport in software tells of, step by step. */
public enum DeviceStep {
    /** A packet of a request was sent again. */
    RETRANSMIT(1),
    /** No acknowledgement came in time. */
    TIMEOUT(2),
    NAK_SENT(3),
    NAK_RECEIVED(4),
    /** The receiver had no receive posted: sent, and received. */
    RNR_NAK_SENT(5),
    RNR_NAK_RECEIVED(6),
    /** A request came that had been executed before. */
    DUPLICATE(7),
    /** A request came ahead of the one expected. */
    OUT_OF_ORDER(8),
    /** A response came to what was acknowledged before. */
    STALE_RESPONSE(9),
    /** A packet was dropped: nobody takes it there. */
    DROP_NO_QP(10),
    /** The same: it came from somebody else than the peer. */
    DROP_WRONG_SOURCE(11),
    /** The same: a datagram that no receive was there for. */
    DROP_NO_RECEIVE(12),
    /** The same: a datagram with a wrong Q_Key. */
    DROP_QKEY(13),
    /** A message of the connection manager goes out. */
    CM_SENT(20),
    /** One came. */
    CM_RECEIVED(21);

    private final int code;

    DeviceStep(final int code) {
        this.code = code;
    }

    /** The stable code. */
    public int code() {
        return code;
    }

    /** Whether it is one of a connection manager's. */
    public boolean isOfCm() {
        return code >= CM_SENT.code;
    }

    /** The step of a code, or null where this version knows none. */
    public static @Nullable DeviceStep fromCode(final int code) {
        for (final DeviceStep step : values()) {
            if (step.code == code) {
                return step;
            }
        }
        return null;
    }
}
