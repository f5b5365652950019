package io.vhca.bond.config;

/** The modes of Linux bonding that a bond of queue pairs cannot have, each with the reason. */
enum RefusedMode {
    BROADCAST("broadcast", 3, "a queue pair lives on one member, its order is the hardware's"),
    LACP("802.3ad", 4, "it stripes packets below the transport, and a queue pair lives on one member"),
    BALANCE_ALB("balance-alb", 6, "it rewrites ARP answers of the peer, and RDMA connections have no such thing");

    private final String text;
    private final int linuxNumber;
    private final String reason;

    RefusedMode(final String text, final int linuxNumber, final String reason) {
        this.text = text;
        this.linuxNumber = linuxNumber;
        this.reason = reason;
    }

    String text() {
        return text;
    }

    int linuxNumber() {
        return linuxNumber;
    }

    String reason() {
        return reason;
    }
}
