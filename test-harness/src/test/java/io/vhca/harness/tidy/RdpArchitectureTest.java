package io.vhca.harness.tidy;

import java.util.List;
import java.util.Set;

/** Reliable datagrams: sockets stand on connections, connections on the engine, the engine on layouts. */
class RdpArchitectureTest extends ModuleArchitecture {
    private static final String RDP = "io.vhca.rdp";

    RdpArchitectureTest() {
        super(
                RDP,
                List.of(
                        Set.of(RDP),
                        Set.of(RDP + ".verbs", RDP + ".status"),
                        Set.of(RDP + ".engine"),
                        Set.of(RDP + ".wire")),
                "rdp.ratchet");
    }
}
