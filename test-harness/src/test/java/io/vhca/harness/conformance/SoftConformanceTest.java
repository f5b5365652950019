package io.vhca.harness.conformance;

import io.vhca.api.Context;
import io.vhca.api.Device;
import io.vhca.physical.soft.SoftConfig;
import io.vhca.physical.soft.SoftDevice;
import java.net.InetAddress;

/** The suite on the embedded RNIC over UDP loopback. */
class SoftConformanceTest extends ConformanceSuite {
    private static final Device CLIENT = SoftDevice.overUdp(new SoftConfig("soft-a", own(1), 4096));
    private static final Device SERVER = SoftDevice.overUdp(new SoftConfig("soft-b", own(2), 4096));
    private static final DevicePair SOFT = new DevicePair() {
        @Override
        public Context openClient() {
            return CLIENT.open();
        }

        @Override
        public Context openServer() {
            return SERVER.open();
        }

        @Override
        public InetAddress nobody() {
            return InetAddress.ofLiteral("127.9.9.9");
        }
    };

    SoftConformanceTest() {
        super(SOFT);
    }

    /** A loopback address of this process alone, so that other processes' devices do not collide with its. */
    static InetAddress own(final int last) {
        final int pid = (int) ProcessHandle.current().pid();
        return InetAddress.ofLiteral("127." + (64 + (pid >> 8 & 63)) + "." + (pid & 255) + "." + last);
    }
}
