package io.vhca.harness.rdp;

/**
 * Something that goes wrong for a while.
 *
 * @param node   which host it strikes
 * @param member which of its ports, where it strikes one
 * @param share  of a thousand packets, where it strikes some
 */
record RdpFault(Kind kind, int node, int member, int share, long beginNs, long endNs) {
    /** What goes wrong. */
    enum Kind {
        PORT_DOWN,
        /** Packets of a port get lost, and nobody is told. */
        PORT_SILENT,
        /** All ports of a host: no path is left. */
        HOST_CUT,
        PACKETS_DROPPED,
        PACKETS_DUPLICATED,
        PACKETS_DELAYED,
        /** The host's threads have no processor. */
        HOST_STARVED,
        /** The process dies; at the end of the fault another one starts in its place. */
        PROCESS_DEATH,
        /** The driver is closed with all that is on its way; at the end another one is opened on the same bond. */
        DRIVER_DEATH,
        /** What a port sends gets lost, what it receives does not. */
        ONE_WAY,
        /** Packets arrive with one bit changed. */
        PACKETS_CORRUPTED
    }

    boolean isAt(final long nowNs) {
        return nowNs - beginNs >= 0 && nowNs - endNs < 0;
    }
}
