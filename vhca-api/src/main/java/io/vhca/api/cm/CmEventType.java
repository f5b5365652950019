package io.vhca.api.cm;

/** Kind of a CM event ({@code enum rdma_cm_event_type}, rdma_get_cm_event(3)). */
public enum CmEventType {
    /** {@link CmId#resolveAddr} is done. */
    ADDR_RESOLVED(0),
    ADDR_ERROR(1),
    /** {@link CmId#resolveRoute} is done. */
    ROUTE_RESOLVED(2),
    ROUTE_ERROR(3),
    /** A REQ arrived: {@link CmEvent#id()} is a new id, {@link CmEvent#listenId()} the listener. */
    CONNECT_REQUEST(4),
    /** A REP arrived at an id that has no QP of its own. */
    CONNECT_RESPONSE(5),
    CONNECT_ERROR(6),
    /** No answer from the peer. */
    UNREACHABLE(7),
    /** The peer sent REJ; its private data is here. */
    REJECTED(8),
    ESTABLISHED(9),
    DISCONNECTED(10),
    /** The device is going away; the id must be destroyed. */
    DEVICE_REMOVAL(11),
    MULTICAST_JOIN(12),
    MULTICAST_ERROR(13),
    /** The address of the id moved to another device or interface. */
    ADDR_CHANGE(14),
    /**
     * The id left timewait; its QP number may be used again. An id of a bond never says it: its queue pair may be
     * used again from DISCONNECTED on.
     */
    TIMEWAIT_EXIT(15),
    /** A code that this version does not know. */
    UNKNOWN(-1);

    private final int code;

    CmEventType(final int code) {
        this.code = code;
    }

    /** The C constant's value. */
    public int code() {
        return code;
    }

    /** The constant for a code; {@link #UNKNOWN} where there is none. */
    public static CmEventType fromCode(final int code) {
        for (final CmEventType type : values()) {
            if (type.code == code) {
                return type;
            }
        }
        return UNKNOWN;
    }
}
