package io.vhca.harness.drill.protocol;

import java.util.List;

/** What a drill carries besides the file, over queue pairs of its own on the same bond. */
public enum SideTraffic {
    /** Tellers who move money between accounts in the receiver's memory by atomics. */
    BANK(4),
    /** Messages over queue pairs that share one receive queue. */
    SRQ(3),
    /** Datagrams there and back. */
    UD(1),
    /** A stream over an extended socket, there and back. */
    EXS(1),
    /** Reliable datagrams of many sockets there and back, of two processes a host, and one receiver that is slow. */
    RDP(3);

    /** What runs unasked beside a soak and in the lab's tests: a stream takes all that slow machines can do. */
    public static final List<SideTraffic> UNASKED = List.of(BANK, SRQ, UD);

    private final int qps;

    SideTraffic(final int qps) {
        this.qps = qps;
    }

    /** How many queue pairs it has. */
    public int qps() {
        return qps;
    }
}
