package io.vhca.harness.sim;

/**
 * One fault of a scenario.
 *
 * @param atPacket   it starts with this packet: of all packets for a kind that lasts, of those of its kind for one that
 *                   picks a single packet
 * @param side       0 left, 1 right: whose port, whose transmitter, whose process
 * @param member     which of the side's members; -1 all of them
 * @param perMille   share of the packets hit, for kinds that hit a share
 * @param durationNs how long it lasts, or how late a packet gets
 * @param repeat     how many packets in a row, or how many times a port flaps
 */
record Fault(FaultKind kind, int atPacket, int side, int member, int perMille, long durationNs, int repeat) {
    Fault atOnce() {
        return new Fault(kind, 0, side, member, perMille, durationNs, repeat);
    }

    @Override
    public String toString() {
        return kind.label() + " from packet " + atPacket + " on side " + Side.of(side).label()
                + (member < 0 ? "" : " member " + member) + (perMille == 0 ? "" : ", " + perMille + " per mille")
                + ", " + durationNs / 1_000 + " us, x" + repeat;
    }
}
