package io.vhca.exs.engine;

/**
 * What a socket asks of its queue pair. Nothing here fails: the engine keeps within the sizes it was given, and a queue
 * pair in error answers later, by completions.
 *
 * <p>Called by whoever drives the engine. Work requests complete in the order in which they are posted, and are
 * numbered so: {@link SocketEngine#onSent} takes the number.
 */
public interface Port {
    /** Where the bytes of a message slot are, {@link EngineSizes#messageSlots} of them. */
    long messageAddress(int slot);

    /** SENDs the first bytes of a message slot. */
    void postMessage(int slot, int lengthBytes, boolean isSignaled);

    /** READs, signaled, the peer's memory into own memory. */
    void postRead(long address, int lkey, int lengthBytes, long remoteAddress, int rkey);

    /** WRITEs own memory into the peer's. */
    void postWrite(long address, int lkey, int lengthBytes, long remoteAddress, int rkey);

    /** As {@link #postWrite}, signaled, with immediate data, which consumes a receive of the peer's. */
    void postWriteWithImm(long address, int lkey, int lengthBytes, long remoteAddress, int rkey, int imm);

    /** READs no bytes, signaled: the peer's device answers, nobody else there notices. */
    void postProbe();

    /** Posts a receive slot again. */
    void postReceive(int slot);
}
