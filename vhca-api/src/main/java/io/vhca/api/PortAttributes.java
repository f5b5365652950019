package io.vhca.api;

/**
 * State and attributes of a port ({@code struct ibv_port_attr}, ibv_query_port(3)).
 *
 * @param maxMsgSz     bytes of the largest message
 * @param activeSpeedMbps link speed in megabits a second, 0 where unknown
 */
public record PortAttributes(
        PortState state,
        Mtu maxMtu,
        Mtu activeMtu,
        int gidTblLen,
        int pkeyTblLen,
        int maxMsgSz,
        int lid,
        LinkLayer linkLayer,
        int activeSpeedMbps) {}
