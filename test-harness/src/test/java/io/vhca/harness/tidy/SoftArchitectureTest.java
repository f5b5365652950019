package io.vhca.harness.tidy;

import java.util.List;
import java.util.Set;

/** The soft device: the engine does no input or output, the connection manager speaks to it, carriers are outside. */
class SoftArchitectureTest extends ModuleArchitecture {
    private static final String SOFT = "io.vhca.physical.soft";
    private static final String ENGINE = SOFT + ".engine";

    SoftArchitectureTest() {
        super(
                SOFT,
                List.of(
                        Set.of(SOFT),
                        Set.of(ENGINE, SOFT + ".cm", SOFT + ".udp", SOFT + ".fabric", SOFT + ".capture"),
                        Set.of(ENGINE + ".rc", ENGINE + ".ud", SOFT + ".cm.message"),
                        Set.of(ENGINE + ".qp"),
                        Set.of(ENGINE + ".queue", ENGINE + ".port"),
                        Set.of(ENGINE + ".memory"),
                        Set.of(ENGINE + ".core"),
                        Set.of(SOFT + ".carrier", SOFT + ".wire", SOFT + ".timer", "io.vhca.physical.events"),
                        Set.of("io.vhca.physical.ffm")),
                "soft.ratchet");
    }
}
