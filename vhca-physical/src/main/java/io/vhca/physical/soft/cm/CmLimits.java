package io.vhca.physical.soft.cm;

/**
 * How many passive connections may be half open, which means not established yet, or refused and still kept to answer a
 * repeated request.
 *
 * @param ofStrangers  of all peers that never answered
 * @param ofStranger   of one such address
 * @param ofKnown      of all peers that a connection was established with before: a reserve of theirs
 * @param ofKnownPeer  of one such address
 * @param handshakeNs  how long a stranger has for its part before another one may take its place
 */
public record CmLimits(int ofStrangers, int ofStranger, int ofKnown, int ofKnownPeer, long handshakeNs) {
    /** 256 of strangers, 64 of each; 4,096 of known peers, 1,024 of each; 4 ms. */
    public static final CmLimits DEFAULT = new CmLimits(256, 64, 4_096, 1_024, 4_000_000L);
}
