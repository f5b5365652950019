package io.vhca.harness.conformance;

import io.vhca.bond.BondConfig;
import io.vhca.physical.soft.SoftConfig;
import io.vhca.physical.soft.SoftDevice;
import java.net.InetAddress;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The suite on a bond over two embedded RNICs each. */
class BondConformanceTest extends ConformanceSuite {
    /** A lost path is what a bond hides; that it ends in a named error when no path is left, other tests show. */
    private static final DevicePair BOND = new TwoBonds(
            end("bond-a", soft("soft-c", 11), soft("soft-d", 12)),
            end("bond-b", soft("soft-e", 21), soft("soft-f", 22)),
            InetAddress.ofLiteral("127.9.9.9"),
            EnumSet.complementOf(EnumSet.of(DevicePair.Trait.PATH_ERRORS_SURFACE)));

    BondConformanceTest() {
        super(BOND);
    }

    private static SoftDevice soft(final String name, final int last) {
        return SoftDevice.overUdp(new SoftConfig(name, SoftConformanceTest.own(last), 4096));
    }

    private static TwoBonds.End end(final String name, final SoftDevice first, final SoftDevice second) {
        final BondConfig config = BondConfig.builder(name)
                .members(List.of(first.name(), second.name()))
                .recoveryTimeoutNs(TimeUnit.SECONDS.toNanos(2))
                .build();
        return new TwoBonds.End(config, member -> (member.equals(first.name()) ? first : second).open());
    }
}
