package io.vhca.physical.soft.fabric;

/** Decides what becomes of each packet. The product has only {@link #NONE}; faults live in the harness. */
@FunctionalInterface
public interface FaultModel {
    /** Delivers everything untouched. */
    FaultModel NONE = (from, to, trafficClass, packetAddress, lengthBytes, nowNs) -> Verdict.DELIVER;

    /**
     * Judges one packet as it enters the switch. Must not keep the address, allocate, or send.
     *
     * @param from         index of the sending port
     * @param to           index of the receiving port
     * @param trafficClass of the packet's IP header
     * @return a {@link Verdict}
     */
    long judge(int from, int to, int trafficClass, long packetAddress, int lengthBytes, long nowNs);
}
