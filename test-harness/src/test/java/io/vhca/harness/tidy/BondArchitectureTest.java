package io.vhca.harness.tidy;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The bond: each layer knows those below it and nobody above; BondParts alone knows all of them. */
class BondArchitectureTest extends ModuleArchitecture {
    private static final String BOND = "io.vhca.bond";

    BondArchitectureTest() {
        super(
                BOND,
                List.of(
                        Set.of(BOND),
                        layer("datagram", "control"),
                        layer("cm"),
                        layer("placement"),
                        layer("failover"),
                        layer("verbs"),
                        layer("link", "echo"),
                        layer("member", "queue"),
                        layer("core"),
                        layer("wire", "config"),
                        layer("trace", "memory")),
                "bond.ratchet");
    }

    private static Set<String> layer(final String... packages) {
        return Stream.of(packages).map(name -> BOND + "." + name).collect(Collectors.toSet());
    }
}
