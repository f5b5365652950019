package io.vhca.physical.soft.engine;

import io.vhca.api.QpState;

/** The protocol of one QP. The engine's owner calls; time comes from {@link SoftNic#nowNs()}. */
interface Transport {
    /**
     * A packet for this QP, its headers complete, its partition and source checked.
     *
     * @param flags         of {@link io.vhca.physical.soft.wire.Opcodes}
     * @param payload       address of the payload
     * @param payloadLength bytes, pad excluded
     */
    void onPacket(int opcode, int flags, long packet, long payload, int payloadLength);

    /** Sends at most {@code budget} packets. True when it wants to be called again at once. */
    boolean run(int budget);

    boolean hasDeadline();

    /** Valid with {@link #hasDeadline()}. */
    long deadlineNs();

    /** The deadline has come. */
    void onDeadline();

    /** The QP moved to another state than ERR. */
    void onState(QpState from, QpState to);

    /**
     * The QP moves to ERR: completes what it holds, forgets the rest.
     *
     * @param isLost true when the device or its port died, false for every other reason
     */
    void abandon(boolean isLost);

    /** The QP is reset or destroyed: forgets everything without a word. */
    void forget();

    /** The sending side hangs for good, where there is one that can. */
    void stall();

    boolean isStalled();

    /** True while messages are acknowledged and not placed. */
    boolean holdsUnplaced();
}
