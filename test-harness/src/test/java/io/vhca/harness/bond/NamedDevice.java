package io.vhca.harness.bond;

import io.vhca.api.Context;
import io.vhca.api.Device;
import io.vhca.api.NodeType;

/** A bond's device, which is open already. */
record NamedDevice() implements Device {
    @Override
    public String name() {
        return "bond0";
    }

    @Override
    public long nodeGuid() {
        return 0xb0;
    }

    @Override
    public NodeType nodeType() {
        return NodeType.CA;
    }

    @Override
    public Context open() {
        throw new UnsupportedOperationException("it is open");
    }
}
