package io.vhca.harness.conformance;

import io.vhca.api.Context;
import io.vhca.api.Devices;
import java.net.InetAddress;
import org.junit.jupiter.api.Nested;

/** The suite on the embedded RNIC over UDP loopback. */
class SoftConformanceTest {
    private static final DevicePair SOFT = new DevicePair() {
        @Override
        public Context openClient() {
            return Devices.open("soft0");
        }

        @Override
        public Context openServer() {
            return Devices.open("soft1");
        }

        @Override
        public InetAddress nobody() {
            return InetAddress.ofLiteral("127.9.9.9");
        }
    };

    @Nested
    class Data extends DataConformance {
        Data() {
            super(SOFT);
        }
    }
}
