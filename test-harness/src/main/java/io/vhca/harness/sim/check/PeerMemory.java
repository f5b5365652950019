package io.vhca.harness.sim.check;

/**
 * Where one end's memory for a connection lies; all zero until it is known.
 *
 * @param regionAddress     what the peer writes and reads
 * @param shadowAddress     memory of twice the region's size, for the checkers alone
 * @param commonWordAddress the word that atomics of all connections to this side share
 */
public record PeerMemory(long regionAddress, long shadowAddress, long commonWordAddress) {
    static final PeerMemory NONE = new PeerMemory(0, 0, 0);

    /** A word of a side's, as its peer addresses it. */
    public record Word(int rkey, long address) {
        static final Word NONE = new Word(0, 0);
    }

    /** The word behind the region that atomics of this connection alone address. */
    public long wordAddress(final int regionBytes) {
        return wordAddress(regionAddress, regionBytes);
    }

    public static long wordAddress(final long regionAddress, final int regionBytes) {
        return regionAddress + regionBytes + Long.BYTES - 1 & -Long.BYTES;
    }
}
