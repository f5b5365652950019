package io.vhca.bond.datagram;

/**
 * A vQP for datagrams, wherever it lives. Names have an order that all bonds see alike: of two that cannot meet where
 * they are, the later one goes to the earlier one.
 *
 * @param instance its bond
 * @param qpNum    its vQPN
 */
record DatagramName(long instance, int qpNum) {
    boolean isBefore(final DatagramName other) {
        return instance == other.instance
                ? qpNum < other.qpNum
                : Long.compareUnsigned(instance, other.instance) < 0;
    }
}
