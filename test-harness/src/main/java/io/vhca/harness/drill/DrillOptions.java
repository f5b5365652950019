package io.vhca.harness.drill;

import io.vhca.bond.config.BondMode;
import io.vhca.harness.drill.protocol.DrillScenario;
import io.vhca.harness.drill.protocol.SideTraffic;
import java.nio.file.Path;
import java.util.List;

/**
 * What a drill is to do.
 *
 * @param input             the file that is sent
 * @param cuts              how many links die, one after the other
 * @param seed              of the moments, sides and message sizes
 * @param fabric            what is cut
 * @param bytesPerSecond    pace, 0 for as fast as it goes
 * @param kill              kill the receiver instead of cutting links
 * @param recoveryTimeoutMs the bond's recovery_timeout
 * @param window            messages in flight
 * @param maxPayloadBytes   of the largest message
 * @param side              what is carried besides the file
 * @param mode              the bond's mode on both sides
 * @param scenario          what a cut is, on this machine
 * @param starve            the processes, or the emulated machines, run for one part in so many of the time; 1 for all
 *                          of it
 * @param soakSeconds       of a soak on this machine, in which starvation comes and goes; 0 for none
 */
public record DrillOptions(
        Path input,
        int cuts,
        long seed,
        FabricKind fabric,
        long bytesPerSecond,
        boolean kill,
        long recoveryTimeoutMs,
        int window,
        int maxPayloadBytes,
        List<SideTraffic> side,
        BondMode mode,
        DrillScenario scenario,
        int starve,
        int soakSeconds) {
    /** What is cut. */
    public enum FabricKind {
        /** Soft ports on addresses in 127/8 are unplugged. */
        LOOPBACK,
        /** Interfaces between two network namespaces go down; needs root. */
        NETNS,
        /** Links between the two machines of the lab. */
        LAB,
        /** Links of two hosts with RDMA devices. */
        HOSTS
    }
}
