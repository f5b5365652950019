package io.vhca.physical.soft.engine.qp;

import io.vhca.api.QpState;
import io.vhca.physical.soft.wire.PacketFlyweight;

/** The protocol of one queue pair. The engine's owner. */
public interface Transport {
    /**
     * A packet arrived for this queue pair; its headers are complete, its partition and its source are right. Valid
     * until the call returns.
     */
    void onPacket(PacketFlyweight packet);

    /** Sends at most {@code budget} packets. True when it wants to be called again at once. */
    boolean run(int budget);

    /** True while a timer is set. */
    boolean hasDeadline();

    /** When the first timer expires; valid with {@link #hasDeadline()}. */
    long deadlineNs();

    /** A timer may have expired. */
    void onDeadline();

    /** The QP moved to another state than ERR. */
    void onState(QpState from, QpState to);

    /**
     * The QP moves to ERR: completes what it holds, forgets the rest.
     *
     * @param isLost true when the device or its port died, false for every other reason
     */
    void abandon(boolean isLost);

    /** The QP is reset or destroyed: forgets everything, with no completion and no event. */
    void forget();

    /** The sending side hangs until the queue pair is reset; nothing happens where the protocol cannot hang. */
    void stall();

    /** True while the sending side hangs. */
    boolean isStalled();

    /** True while an acknowledgement is on its way. Any thread; a moment later it may be otherwise. */
    boolean expectsAnswer();

    /** True while acknowledged messages are not in memory yet. */
    boolean holdsUnplaced();
}
