package io.vhca.rdp.nio;

import io.vhca.rdp.RdpSockets;
import java.net.InetAddress;

/**
 * Which addresses datagrams go to by a driver: those that agree with its own in the first bits.
 *
 * @param prefixBits all bits of its address: that one alone
 */
public record RdpNetwork(RdpSockets driver, int prefixBits) {
    /**
     * @throws IllegalArgumentException where an address has not so many bits
     */
    public RdpNetwork {
        final int most = driver.address().getAddress().length * Byte.SIZE;
        if (prefixBits < 1 || prefixBits > most) {
            throw new IllegalArgumentException(
                    "a prefix of " + prefixBits + " bits: for " + driver.address().getHostAddress() + " it may be 1 .. "
                            + most);
        }
    }

    /** The driver's own address alone. */
    public RdpNetwork(final RdpSockets driver) {
        this(driver, driver.address().getAddress().length * Byte.SIZE);
    }

    boolean isOwn(final InetAddress address) {
        return driver.address().equals(address);
    }

    /** Whether a datagram for that address goes by the driver; one for all nodes of the network does not. */
    boolean reaches(final InetAddress address) {
        return isOwn(address) || isWithin(address) && !isBroadcast(address);
    }

    private boolean isWithin(final InetAddress address) {
        final byte[] own = driver.address().getAddress();
        final byte[] other = address.getAddress();
        if (own.length != other.length) {
            return false;
        }
        for (int bit = 0; bit < prefixBits; bit++) {
            if (bit(own, bit) != bit(other, bit)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Whether the address means all nodes of the network, or of any. None does in IPv6, and none of a network of two,
     * whose both addresses are nodes (RFC 3021).
     */
    boolean isBroadcast(final InetAddress address) {
        final byte[] raw = address.getAddress();
        if (raw.length != Integer.BYTES) {
            return false;
        }
        final boolean isOfNetwork = prefixBits < Integer.SIZE - 1 && isWithin(address);
        for (int bit = isOfNetwork ? prefixBits : 0; bit < Integer.SIZE; bit++) {
            if (bit(raw, bit) == 0) {
                return false;
            }
        }
        return !isOwn(address);
    }

    private static int bit(final byte[] raw, final int index) {
        return raw[index / Byte.SIZE] >> Byte.SIZE - 1 - index % Byte.SIZE & 1;
    }
}
