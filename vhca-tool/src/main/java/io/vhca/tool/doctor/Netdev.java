package io.vhca.tool.doctor;

import java.net.InetAddress;
import java.util.List;

/**
 * A network interface of the host.
 *
 * @param mtu      bytes
 * @param networks its addresses, each with the length of its prefix
 */
public record Netdev(String name, int mtu, List<Network> networks) {
    /** An address and the length of its network's prefix in bits. */
    public record Network(InetAddress address, int prefixBits) {
        boolean contains(final InetAddress other) {
            final byte[] mine = address.getAddress();
            final byte[] theirs = other.getAddress();
            if (mine.length != theirs.length) {
                return false;
            }
            for (int bit = 0; bit < prefixBits; bit++) {
                if (((mine[bit / 8] ^ theirs[bit / 8]) & 0x80 >> bit % 8) != 0) {
                    return false;
                }
            }
            return true;
        }
    }

    /** Any address of 127/8 is the loopback interface's, listed or not. */
    boolean has(final InetAddress address) {
        return networks.stream().anyMatch(network -> network.address().equals(address)
                || address.isLoopbackAddress() && network.address().isLoopbackAddress()
                        && network.contains(address));
    }
}
