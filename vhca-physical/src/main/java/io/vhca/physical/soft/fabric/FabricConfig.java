package io.vhca.physical.soft.fabric;

/**
 * Sizes of a fabric.
 *
 * @param maxPacketBytes largest packet that a port carries, BTH to ICRC
 * @param packetSlots    packets that can be on their way at once; one more is lost
 * @param latencyNs      from port to port
 * @param bytesPerUs     rate of a port's transmitter, 0 for one without limit
 */
public record FabricConfig(int maxPacketBytes, int packetSlots, long latencyNs, int bytesPerUs) {
    public FabricConfig {
        if (maxPacketBytes < 64 || packetSlots < 1 || latencyNs < 0 || bytesPerUs < 0) {
            throw new IllegalArgumentException(
                    "a fabric needs packets of 64 bytes or more, one slot or more, and no negative latency or rate: "
                            + maxPacketBytes + " bytes, " + packetSlots + " slots, " + latencyNs + " ns, " + bytesPerUs
                            + " bytes/us");
        }
    }
}
