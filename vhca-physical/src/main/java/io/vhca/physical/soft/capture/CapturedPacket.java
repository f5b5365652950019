package io.vhca.physical.soft.capture;

import io.vhca.api.Gid;

/**
 * A packet of a capture. Immutable but for its bytes, which nobody writes.
 *
 * @param number       of the device's packets, from 1 on; what is missing between two was being written
 * @param timeNs       since 1970
 * @param isSent       else it was received
 * @param sourcePort   UDP source port
 * @param trafficClass of the IP header; of one that was received, as far as it is known
 * @param hopLimit     of the IP header of one that was sent, 0 where nobody asked for one, or it is not known
 * @param length       what it had on the wire, BTH to ICRC
 * @param bytes        of it, as far as they were kept
 */
public record CapturedPacket(
        long number,
        long timeNs,
        boolean isSent,
        Gid peer,
        int sourcePort,
        int trafficClass,
        int hopLimit,
        int length,
        byte[] bytes) {}
