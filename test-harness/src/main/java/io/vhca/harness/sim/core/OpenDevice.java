package io.vhca.harness.sim.core;

import io.vhca.api.Context;
import io.vhca.api.Device;
import io.vhca.api.NodeType;

/** The device that a bond in a simulation says it is: the simulation has opened it already. */
public record OpenDevice(String name, long nodeGuid) implements Device {
    private static final long FIRST_GUID = 0xb000;

    /** The bond of one of several hosts. */
    public static OpenDevice bond(final int host) {
        return new OpenDevice("bond0", FIRST_GUID + host);
    }

    @Override
    public NodeType nodeType() {
        return NodeType.CA;
    }

    @Override
    public Context open() {
        throw new UnsupportedOperationException(name + " is open already; ask the simulation for it");
    }
}
