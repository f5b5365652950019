package io.vhca.harness.bench;

import io.vhca.api.Devices;
import io.vhca.harness.drill.protocol.ChildFailure;
import io.vhca.harness.drill.protocol.DrillLine;
import io.vhca.rdp.RdpDriver;
import io.vhca.rdp.shared.SharedServer;
import java.util.concurrent.CountDownLatch;

/** Main class of a benchmark's process that has the driver of its side's bond0. It ends with who started it. */
public final class RdpDriverPeer {
    private RdpDriverPeer() {}

    public static void main(final String[] args) {
        ChildFailure.guard(() -> {
            ChildFailure.obey(line -> {});
            SharedServer.open(RdpDriver.open(Devices.open("bond0")));
            DrillLine.of("driving").say();
            new CountDownLatch(1).await();
        });
    }
}
