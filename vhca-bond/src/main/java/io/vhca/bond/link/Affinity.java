package io.vhca.bond.link;

import java.net.InetAddress;

/**
 * How well two addresses fit: the length of their common prefix, as source address selection does (RFC 6724, rule 8).
 */
public final class Affinity {
    private Affinity() {}

    /** Common leading bits, 0 for different families. */
    public static int of(final InetAddress a, final InetAddress b) {
        final byte[] x = a.getAddress();
        final byte[] y = b.getAddress();
        if (x.length != y.length) {
            return 0;
        }
        int bits = 0;
        for (int i = 0; i < x.length; i++) {
            final int difference = (x[i] ^ y[i]) & 0xFF;
            if (difference != 0) {
                return bits + Integer.numberOfLeadingZeros(difference) - 24;
            }
            bits += Byte.SIZE;
        }
        return bits;
    }
}
