package io.vhca.api;

import java.util.Optional;

/**
 * An address vector ({@code struct ibv_ah_attr}), RoCE fields.
 *
 * @param dgid         destination GID
 * @param sgidIndex    index into the own GID table
 * @param hopLimit     IP TTL, 1 .. 255, 0 for the default of 64
 * @param trafficClass IP TOS, 0 .. 255
 * @param portNum      own port
 * @param serviceLevel service level, 0 .. 15: the priority of a VLAN
 */
public record AhAttributes(
        Gid dgid, int sgidIndex, int hopLimit, int trafficClass, int portNum, int serviceLevel) {
    /** Service level 0. */
    public AhAttributes(
            final Gid dgid, final int sgidIndex, final int hopLimit, final int trafficClass, final int portNum) {
        this(dgid, sgidIndex, hopLimit, trafficClass, portNum, 0);
    }

    /** Port 1, GID index 0, defaults for the rest. */
    public static AhAttributes to(final Gid dgid) {
        return new AhAttributes(dgid, 0, 0, 0, 1);
    }

    /** Which field has a value that its place in a packet does not hold; empty when none has. */
    public String fault() {
        return fault("sgid_index", sgidIndex, ServiceClass.MOST_IN_A_BYTE)
                .or(() -> fault("hop_limit", hopLimit, ServiceClass.MOST_IN_A_BYTE))
                .or(() -> fault("traffic_class", trafficClass, ServiceClass.MOST_IN_A_BYTE))
                .or(() -> fault("port_num", portNum, ServiceClass.MOST_IN_A_BYTE))
                .or(() -> fault("sl", serviceLevel, ServiceClass.MOST_SERVICE_LEVEL))
                .orElse("");
    }

    private static Optional<String> fault(final String field, final int value, final int most) {
        return value >= 0 && value <= most
                ? Optional.empty()
                : Optional.of(field + " is " + value + ", allowed is 0 to " + most);
    }
}
