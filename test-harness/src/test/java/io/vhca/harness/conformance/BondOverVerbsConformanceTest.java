package io.vhca.harness.conformance;

import io.vhca.api.Devices;
import io.vhca.bond.config.BondConfig;
import io.vhca.harness.conformance.DevicePair.Trait;
import java.net.InetAddress;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * The suite on a bond over devices of libibverbs, where there are some: {@code -Dvhca.conformance.members=rxe0,rxe1}.
 * Both ends bond the same devices, each with contexts of its own; each finds a port that is free.
 */
@EnabledIfSystemProperty(
        named = BondOverVerbsConformanceTest.PROPERTY,
        matches = ".+,.+",
        disabledReason = "SKIPPED: no RDMA devices were named by -D" + BondOverVerbsConformanceTest.PROPERTY)
class BondOverVerbsConformanceTest extends ConformanceSuite {
    static final String PROPERTY = "vhca.conformance.members";

    /** A lost path is what a bond hides; the rest is what rxe and the network around it do otherwise. */
    private static final EnumSet<Trait> MISSING = EnumSet.of(
            Trait.PATH_ERRORS_SURFACE,
            Trait.UNREACHABLE_SOON,
            Trait.WITHDRAWAL_TOLD,
            Trait.EXACT_LOCAL_STATUS,
            Trait.RESPONDER_EVENTS);

    BondOverVerbsConformanceTest() {
        super(bonds(UnaryOperator.identity()));
    }

    static DevicePair bonds(final UnaryOperator<BondConfig.Builder> options) {
        return new TwoBonds(
                end("bond-a", options),
                end("bond-b", options),
                InetAddress.ofLiteral("192.0.2.9"),
                EnumSet.complementOf(MISSING));
    }

    private static TwoBonds.End end(final String name, final UnaryOperator<BondConfig.Builder> options) {
        return new TwoBonds.End(
                options.apply(BondConfig.builder(name)
                                .members(List.of(System.getProperty(PROPERTY, "").split(",", -1)))
                                .recoveryTimeoutNs(TimeUnit.SECONDS.toNanos(10))
                                .pathTimeoutNs(TimeUnit.SECONDS.toNanos(3)))
                        .build(),
                Devices::open);
    }
}
