package io.vhca.harness.drill.child;

import io.vhca.harness.drill.protocol.DrillMessage;
import io.vhca.harness.drill.protocol.SideTraffic;
import java.util.List;

/**
 * What crosses the connection.
 *
 * @param seed            of the message sizes
 * @param window          messages in flight at most
 * @param maxPayloadBytes of the largest message
 * @param bytesPerSecond  pace, 0 for as fast as it goes
 * @param side            what there is besides
 */
record DrillTraffic(long seed, int window, int maxPayloadBytes, long bytesPerSecond, List<SideTraffic> side) {
    int slotBytes() {
        return maxPayloadBytes + DrillMessage.HEADER_BYTES;
    }
}
