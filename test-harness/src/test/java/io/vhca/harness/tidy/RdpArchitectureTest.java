package io.vhca.harness.tidy;

import java.util.List;
import java.util.Set;

/** Reliable datagrams: channels stand on sockets, sockets on connections, those on the engine, that on layouts. */
class RdpArchitectureTest extends ModuleArchitecture {
    private static final String RDP = "io.vhca.rdp";

    RdpArchitectureTest() {
        super(
                RDP,
                List.of(
                        Set.of(RDP + ".nio"),
                        Set.of(RDP + ".shared"),
                        Set.of(RDP),
                        Set.of(RDP + ".verbs", RDP + ".status"),
                        Set.of(RDP + ".engine"),
                        Set.of(RDP + ".memory"),
                        Set.of(RDP + ".access"),
                        Set.of(RDP + ".unix", RDP + ".common", RDP + ".wire", RDP + ".completion", RDP + ".lane")),
                "rdp.ratchet");
    }
}
