package io.vhca.harness.tidy;

import java.util.List;
import java.util.Set;

/** What to do when a path dies, over the records that bonds exchange. */
class RecoveryArchitectureTest extends ModuleArchitecture {
    private static final String RECOVERY = "io.vhca.recovery";

    RecoveryArchitectureTest() {
        super(RECOVERY, List.of(Set.of(RECOVERY, RECOVERY + ".proof"), Set.of(RECOVERY + ".wire")), "recovery.ratchet");
    }
}
