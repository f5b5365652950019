package io.vhca.harness.bond;

import io.vhca.bond.BondContext;
import io.vhca.bond.BondDevice;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.config.ServiceMode.Detect;
import io.vhca.harness.cli.OwnAddress;
import io.vhca.physical.soft.SoftConfig;
import io.vhca.physical.soft.SoftDevice;
import io.vhca.recovery.Journal;
import java.net.InetAddress;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** Soft devices on loopback addresses of this process alone, and bonds over them. */
final class SoftBonds {
    private SoftBonds() {}

    static InetAddress own(final int last) {
        return OwnAddress.of(last);
    }

    static SoftDevice soft(final String name, final int last) {
        return SoftDevice.overUdp(new SoftConfig(name, own(last), 4096));
    }

    /** A bond with a thread of its own over two devices, opened for it. */
    static BondContext open(final String name, final SoftDevice one, final SoftDevice other) {
        final BondConfig config = BondConfig.builder(name)
                .members(List.of(one.name(), other.name()))
                .recoveryTimeoutNs(TimeUnit.SECONDS.toNanos(20))
                .build();
        return open(config, one, other);
    }

    /**
     * The same, which takes no peer for dead because it has no processor for a while: paths fail where their devices
     * say so alone.
     */
    static BondContext openCalm(final String name, final SoftDevice one, final SoftDevice other) {
        return open(calm(BondConfig.builder(name).members(List.of(one.name(), other.name()))).build(), one, other);
    }

    /** A bond that takes no peer for dead because it has no processor for a while, nor the path that it is asked by. */
    static BondConfig.Builder calm(final BondConfig.Builder config) {
        return config.ackTimeout(20)
                .heartbeatNs(0)
                .watchdogNs(0)
                .pathTimeoutNs(TimeUnit.SECONDS.toNanos(10))
                .set(BondOption.DETECT, Detect.HARDWARE);
    }

    /** The same with other options. */
    static BondContext open(final BondConfig config, final SoftDevice one, final SoftDevice other) {
        final BondContext context = new BondContext(
                new BondDevice(config), config, List.of(one.open(), other.open()), Journal.NONE,
                // Two bonds that draw the same call their connections the same.
                new SplittableRandom(config.name().hashCode()));
        context.startAgent();
        return context;
    }
}
