package io.vhca.api;

/**
 * An address vector ({@code struct ibv_ah_attr}), RoCE fields.
 *
 * @param dgid         destination GID
 * @param sgidIndex    index into the own GID table
 * @param hopLimit     IP TTL, 0 for the default of 64
 * @param trafficClass IP TOS
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
}
