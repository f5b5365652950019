package io.vhca.harness.sim;

/** Kinds of faults that a scenario draws from. */
enum FaultKind {
    /** A share of all packets is lost for a while. */
    DROP("packets dropped"),
    /** A share of all packets comes twice for a while. */
    DUPLICATE("packets duplicated"),
    /** A share of all packets is late and is overtaken. */
    REORDER("packets reordered"),
    /** Every packet of one direction is late for a while. */
    DELAY("packets delayed"),
    /** A share of all packets has a bit flipped. */
    CORRUPT("packets corrupted"),
    /** The n-th ACK is lost. */
    LOSE_ACK("ACK lost"),
    /** The n-th packet other than an ACK is lost. */
    LOSE_REQUEST("request or response lost"),
    /** The n-th packet of any kind has a bit flipped. */
    CORRUPT_ONE("one packet corrupted"),
    /** The n-th CM REQ is lost. */
    LOSE_CM_REQ("CM REQ lost"),
    /** The n-th CM REP is lost. */
    LOSE_CM_REP("CM REP lost"),
    /** The n-th CM RTU is lost. */
    LOSE_CM_RTU("CM RTU lost"),
    /** One port is unplugged for a while. */
    PORT_DOWN("port down"),
    /** Every port of one side is unplugged for a while. */
    ALL_PORTS_DOWN("all ports of a side down"),
    /** What one side sends is lost for a while, over one member or over all. */
    ONE_WAY_LOSS("one-way loss"),
    /** A port goes down and comes back several times. */
    FLAPPING("port flapping"),
    /** No fault: an operator takes a member out of use for a while. */
    DRAIN("member drained by the operator"),
    /** No fault: an operator removes a member from the bond, and adds it again after a while. */
    REMOVE("member removed and added by the operator"),
    /** No fault: an operator makes a member the active one, where the mode has one. */
    ACTIVATE("member made active by the operator"),
    /** The senders of a device hang: nothing completes, nothing is said. */
    SENDERS_HANG("senders of a device hang silently"),
    /** What a device is sending fails with a local error, while its port is up. */
    SENDERS_FAIL("local errors while the port is up"),
    /** A device's GID moves to another place in its table. */
    GID_MOVE("GID moved in its table"),
    /** The MTU of one port is the smallest for a while. */
    MTU_CHANGE("MTU changed"),
    /** What one member sends is lost for good, but for management: connections over it are made, and carry nothing. */
    DATA_LOSS("data of a member lost, connections made"),
    /** A device dies for good. */
    DEVICE_DEATH("device death"),
    /** A device dies, and after a while it is there again. */
    DEVICE_RETURN("device dies and comes back"),
    /** A process dies for good, with all its devices. */
    PROCESS_DEATH("process death"),
    /** A process dies and another takes its place that knows nothing of the connections. */
    PROCESS_RESTART("process restart"),
    /** A device, which acknowledges messages before it places them, dies for good. */
    ACK_BEFORE_PLACEMENT("death of a device that acks before it places");

    private final String label;

    FaultKind(final String label) {
        this.label = label;
    }

    /** As the summary names it. */
    String label() {
        return label;
    }
}
