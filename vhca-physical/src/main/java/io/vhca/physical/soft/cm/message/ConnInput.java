package io.vhca.physical.soft.cm.message;

/** What can happen to a connection: a message of the peer, or something noticed here. */
public enum ConnInput {
    REQ(0x0010),
    MRA(0x0011),
    REJ(0x0012),
    REP(0x0013),
    RTU(0x0014),
    DREQ(0x0015),
    DREP(0x0016),
    SIDR_REQ(0x0017),
    SIDR_REP(0x0018),
    /** The answer did not come in time, or a waiting time is over. */
    TIMEOUT(-1),
    /** Data of the peer arrived on the QP. */
    COMM_EST(-2);

    private static final int FIRST_ATTRIBUTE = 0x0010;
    private static final ConnInput[] VALUES = values();

    private final int attribute;

    ConnInput(final int attribute) {
        this.attribute = attribute;
    }

    /** The attribute id of the message. */
    public int attribute() {
        return attribute;
    }

    /** The message with that attribute id, TIMEOUT where there is none. */
    public static ConnInput fromAttribute(final int attribute) {
        final int index = attribute - FIRST_ATTRIBUTE;
        return index >= 0 && index <= SIDR_REP.ordinal() ? VALUES[index] : TIMEOUT;
    }
}
