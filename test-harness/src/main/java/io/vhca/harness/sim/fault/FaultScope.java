package io.vhca.harness.sim.fault;

import io.vhca.harness.sim.core.PerSide;

/**
 * What of a scenario its faults are drawn for.
 *
 * @param isBond          bonds over several members; else one soft RNIC a side
 * @param isConfirming    bonds with {@code confirm = peer}
 * @param members         devices of each side
 * @param connections     connections between the sides
 * @param packets         about how many packets the work makes, ACKs included
 * @param longestOutageNs what outages last at most
 */
public record FaultScope(
        boolean isBond,
        boolean isConfirming,
        PerSide<Integer> members,
        int connections,
        int packets,
        long longestOutageNs) {}
