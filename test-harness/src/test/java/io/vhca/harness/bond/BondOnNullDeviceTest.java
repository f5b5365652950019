package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Context;
import io.vhca.api.Device;
import io.vhca.api.Devices;
import io.vhca.api.NodeType;
import io.vhca.bond.BondContext;
import io.vhca.bond.config.BondConfig;
import io.vhca.examples.RdmaConnection;
import io.vhca.examples.RdmaListener;
import io.vhca.recovery.Journal;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class BondOnNullDeviceTest {
    record TestDevice(String name) implements Device {
        @Override
        public long nodeGuid() {
            return 1;
        }

        @Override
        public NodeType nodeType() {
            return NodeType.CA;
        }

        @Override
        public Context open() {
            throw new UnsupportedOperationException();
        }
    }

    @Test
    void hello() {
        System.setProperty("vhca.null", "null0=127.0.3.1,null1=127.0.3.2");
        final BondConfig config = BondConfig.builder("bond0").members(List.of("null0", "null1")).build();
        final BondContext bond = new BondContext(
                new TestDevice("bond0"),
                config,
                List.of(Devices.open("null0"), Devices.open("null1")),
                Journal.NONE,
                new SplittableRandom(1));
        bond.startAgent();
        try (Context device = bond;
                RdmaListener listener = RdmaListener.listen(device, 0);
                RdmaConnection client = RdmaConnection.connect(device, listener.address());
                RdmaConnection server = listener.accept()) {
            client.send("hello, RDMA");
            assertThat(server.receiveText()).isEqualTo("hello, RDMA");
        }
    }
}
