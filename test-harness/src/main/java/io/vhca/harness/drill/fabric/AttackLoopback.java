package io.vhca.harness.drill.fabric;

import java.util.List;

/** All on addresses in 127/8; the attacker binds the ends' own addresses too, at other UDP ports. */
public final class AttackLoopback implements AttackFabric {
    @Override
    public void setUp() {
        // Every address of 127/8 serves.
    }

    @Override
    public String devices(final boolean ofReceiver) {
        return LoopbackFabric.devices(ofReceiver, "");
    }

    @Override
    public String strangers() {
        return "127.99.0.1";
    }

    @Override
    public List<String> prefix(final String name) {
        return List.of();
    }

    @Override
    public String describe() {
        return "loopback: soft RNICs on addresses in 127/8; the attacker has other addresses there, and the ends' own";
    }

    @Override
    public void close() {
        // Nothing was made.
    }
}
