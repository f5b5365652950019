package io.vhca.physical.soft.wire;

/**
 * Finds out which identification the IPv4 header of a received packet had, where nobody says so: a UDP socket hands
 * over the payload alone, and the ICRC covers the identification too.
 *
 * <p>A CRC is linear: the ICRC that a packet has and the one that it would have with identification 0 differ by what
 * the 16 bits of the identification alone give, moved on over every byte that follows them. Moving the difference back
 * as far leaves those 16 bits and nothing else, or more than 16 bits: then no identification explains the ICRC. So one
 * of 65,536 damaged packets is explained by some identification: {@code SenderIdentifications} asks whether it is
 * the sender's next one. The flags are taken to be what annex A17 demands, don't-fragment alone.
 *
 * <p>Pure; any thread.
 */
public final class IpIdentification {
    /** What {@link #solve} answers where there is no such identification. */
    public static final int NONE = -1;

    /** The polynomial of CRC-32, its bits turned around as {@link java.util.zip.CRC32} has them. */
    private static final int POLYNOMIAL = 0xedb8_8320;
    /** The polynomial 1 in that order. */
    private static final int ONE = 1 << 31;
    /** From the first byte of the identification to the packet: the rest of the IP header and the UDP header. */
    private static final int HEADER_BYTES = 16 + 8;

    private static final int MAX_BYTES = 4608;
    /** By bytes: what moves a register of the CRC back over so many of them, as a factor. */
    private static final int[] BACK = backwards();

    private IpIdentification() {}

    private static int[] backwards() {
        final int[] factors = new int[MAX_BYTES + 1];
        int factor = ONE;
        for (int i = 0; i < factors.length; i++) {
            factors[i] = factor;
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                factor = factor < 0 ? (factor ^ POLYNOMIAL) << 1 | 1 : factor << 1;
            }
        }
        return factors;
    }

    /**
     * The identification that explains the ICRC of an IPv4 packet.
     *
     * @param difference  the packet's ICRC xor the one that {@link Icrc#compute} gives, not 0
     * @param lengthBytes BTH up to, not including, the ICRC
     * @return 1 to 65535, or {@link #NONE}
     */
    public static int solve(final int difference, final int lengthBytes) {
        final int behind = HEADER_BYTES + lengthBytes;
        if (behind > MAX_BYTES) {
            return NONE;
        }
        final int bits = multiply(difference, BACK[behind]);
        return bits >>> Short.SIZE == 0 && bits != 0 ? swap(bits) : NONE;
    }

    /** What an identification changes in the ICRC of an IPv4 packet of that length. */
    public static int effect(final int identification, final int lengthBytes) {
        int register = swap(identification);
        for (int bit = (HEADER_BYTES + lengthBytes) * Byte.SIZE; bit > 0; bit--) {
            register = register >>> 1 ^ ((register & 1) == 0 ? 0 : POLYNOMIAL);
        }
        return register;
    }

    private static int swap(final int bytes) {
        return (bytes & 0xff) << 8 | bytes >>> 8;
    }

    /** The product of two polynomials, modulo the CRC's. */
    private static int multiply(final int left, final int right) {
        int product = 0;
        int moved = right;
        for (int rest = left; rest != 0; rest <<= 1) {
            product ^= moved & rest >> 31;
            moved = moved >>> 1 ^ (POLYNOMIAL & -(moved & 1));
        }
        return product;
    }
}
