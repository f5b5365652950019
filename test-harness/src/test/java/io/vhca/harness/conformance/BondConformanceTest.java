package io.vhca.harness.conformance;

import io.vhca.bond.config.BondConfig;
import io.vhca.physical.soft.SoftConfig;
import io.vhca.physical.soft.SoftDevice;
import java.net.InetAddress;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/** The suite on a bond over two embedded RNICs each. */
class BondConformanceTest extends ConformanceSuite {
    private static final DevicePair BONDS = bonds(10, UnaryOperator.identity());

    BondConformanceTest() {
        super(BONDS);
    }

    /**
     * Two bonds over two new devices each. A lost path is what a bond hides; that it ends in a named error when no path
     * is left, other tests show.
     *
     * @param net what the last numbers of the devices' addresses are counted from
     */
    static DevicePair bonds(final int net, final UnaryOperator<BondConfig.Builder> options) {
        return new TwoBonds(
                end("bond-a", soft(net + 1), soft(net + 2), options),
                end("bond-b", soft(net + 11), soft(net + 12), options),
                InetAddress.ofLiteral("127.9.9.9"),
                EnumSet.complementOf(EnumSet.of(DevicePair.Trait.PATH_ERRORS_SURFACE)));
    }

    private static SoftDevice soft(final int last) {
        return SoftDevice.overUdp(new SoftConfig("soft-" + last, SoftConformanceTest.own(last), 4096));
    }

    private static TwoBonds.End end(
            final String name,
            final SoftDevice first,
            final SoftDevice second,
            final UnaryOperator<BondConfig.Builder> options) {
        final BondConfig config = options.apply(BondConfig.builder(name)
                        .members(List.of(first.name(), second.name()))
                        .recoveryTimeoutNs(TimeUnit.SECONDS.toNanos(2)))
                .build();
        return new TwoBonds.End(config, member -> (member.equals(first.name()) ? first : second).open());
    }
}
