package io.vhca.api;

/**
 * An address vector ({@code struct ibv_ah_attr}), RoCE fields.
 *
 * @param dgid         destination GID
 * @param sgidIndex    index into the own GID table
 * @param hopLimit     IP TTL, 0 for the default of 64
 * @param trafficClass IP TOS
 * @param portNum      own port
 */
public record AhAttributes(Gid dgid, int sgidIndex, int hopLimit, int trafficClass, int portNum) {
    /** Port 1, GID index 0, defaults for the rest. */
    public static AhAttributes to(final Gid dgid) {
        return new AhAttributes(dgid, 0, 0, 0, 1);
    }
}
