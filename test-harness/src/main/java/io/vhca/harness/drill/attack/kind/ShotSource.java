package io.vhca.harness.drill.attack.kind;

import io.vhca.harness.drill.attack.packet.Shot;

/** Makes the packets of one attack, one after the other. One thread. */
@FunctionalInterface
public interface ShotSource {
    Shot next();
}
