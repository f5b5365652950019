package io.vhca.harness.conformance;

import io.vhca.api.Context;
import io.vhca.physical.soft.SoftDevice;
import java.net.InetAddress;

/** Two soft devices on loopback addresses. */
record TwoSoftDevices(SoftDevice client, SoftDevice server) implements DevicePair {
    @Override
    public Context openClient() {
        return client.open();
    }

    @Override
    public Context openServer() {
        return server.open();
    }

    @Override
    public InetAddress nobody() {
        return InetAddress.ofLiteral("127.9.9.9");
    }
}
