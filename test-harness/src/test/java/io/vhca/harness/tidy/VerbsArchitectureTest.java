package io.vhca.harness.tidy;

import java.util.List;
import java.util.Set;

/** Devices of libibverbs: objects over the calls of the C libraries. */
class VerbsArchitectureTest extends ModuleArchitecture {
    private static final String VERBS = "io.vhca.physical.verbs";

    VerbsArchitectureTest() {
        super(
                VERBS,
                List.of(
                        Set.of(VERBS),
                        Set.of(VERBS + ".lib"),
                        Set.of("io.vhca.physical.events"),
                        Set.of("io.vhca.physical.ffm")),
                "verbs.ratchet");
    }
}
