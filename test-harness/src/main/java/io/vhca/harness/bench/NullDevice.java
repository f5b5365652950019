package io.vhca.harness.bench;

import io.vhca.api.Context;
import io.vhca.api.Device;
import io.vhca.api.NodeType;
import java.net.InetAddress;

/** A device without a wire. */
record NullDevice(String name, InetAddress address) implements Device {
    @Override
    public long nodeGuid() {
        return 0x0200_00ff_fe00_0000L | Integer.toUnsignedLong(address.hashCode());
    }

    @Override
    public NodeType nodeType() {
        return NodeType.CA;
    }

    @Override
    public Context open() {
        return new NullContext(this);
    }
}
