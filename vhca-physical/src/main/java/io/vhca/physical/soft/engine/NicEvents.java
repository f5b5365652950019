package io.vhca.physical.soft.engine;

import io.vhca.api.AsyncEvent;

/**
 * What a {@link SoftNic} reports to its owner. Called by the thread that owns the engine at that moment, in the middle
 * of its work: hand over and return. Calling {@link SoftNic#sendMad} from here is allowed, control verbs are not.
 */
public interface NicEvents {
    /** An asynchronous event happened. */
    void asyncEvent(AsyncEvent event);

    /** An armed CQ got the completion it was armed for; it is disarmed now. */
    void cqEvent(SoftCq cq);

    /**
     * A management datagram arrived at QP1.
     *
     * @param sourceHigh high half of the sender's GID
     * @param sourceLow  low half of the sender's GID
     * @param sourceQp   the sender's QP, normally 1
     * @param madAddress 256 bytes, valid until the call returns
     */
    void mad(long sourceHigh, long sourceLow, int sourceQp, long madAddress);
}
