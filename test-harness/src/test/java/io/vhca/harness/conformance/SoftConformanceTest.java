package io.vhca.harness.conformance;

import io.vhca.physical.soft.SoftConfig;
import io.vhca.physical.soft.SoftDevice;
import java.net.InetAddress;

/** The suite on the embedded RNIC over UDP loopback. */
class SoftConformanceTest extends ConformanceSuite {
    private static final DevicePair SOFT = new TwoSoftDevices(
            SoftDevice.overUdp(new SoftConfig("soft-a", own(1), 4096)),
            SoftDevice.overUdp(new SoftConfig("soft-b", own(2), 4096)));

    SoftConformanceTest() {
        super(SOFT);
    }

    /** A loopback address of this process alone, so that other processes' devices do not collide with its. */
    static InetAddress own(final int last) {
        final int pid = (int) ProcessHandle.current().pid();
        return InetAddress.ofLiteral("127." + (64 + (pid >> 8 & 63)) + "." + (pid & 255) + "." + last);
    }
}
