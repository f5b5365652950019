package io.vhca.physical.soft.carrier;

import io.vhca.api.Gid;

/**
 * Where packets go, and what their IP header says.
 *
 * @param trafficClass IP TOS, or the traffic class of IPv6
 * @param hopLimit     IP TTL, 0 for what the carrier takes else
 */
public record Destination(Gid gid, int trafficClass, int hopLimit) {
    /** Without special wishes. */
    public static Destination of(final Gid gid) {
        return new Destination(gid, 0, 0);
    }

    /** True when the IP header is one that a sender without special wishes writes. */
    public boolean isPlain() {
        return trafficClass == 0 && hopLimit == 0;
    }
}
