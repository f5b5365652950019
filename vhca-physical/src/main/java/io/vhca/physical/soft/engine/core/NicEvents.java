package io.vhca.physical.soft.engine.core;

import io.vhca.api.AsyncEvent;
import io.vhca.api.CompletionQueue;

/**
 * What a soft device reports to whoever created it.
 *
 * <p>The thread that owns the engine calls these in the middle of its work, so an implementation hands the news to
 * another thread or queue and returns. It may send a management datagram; it may call no control verb.
 */
public interface NicEvents {
    /** An asynchronous event happened. */
    void asyncEvent(AsyncEvent event);

    /** A queue pair, CQ or SRQ is destroyed: nobody can do anything with its events. For who keeps them. */
    default void destroyed(final Object object) {}

    /** The first request of its peer arrived at a connected queue pair, which has been told of it therefore. */
    void firstRequest(int qpNum);

    /** An armed CQ got the completion it was armed for; it is disarmed now. */
    void cqEvent(CompletionQueue cq);

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
