package io.vhca.harness.conformance;

import io.vhca.api.Context;
import io.vhca.api.Devices;
import io.vhca.bond.BondConfig;
import io.vhca.bond.BondContext;
import io.vhca.bond.BondDevice;
import io.vhca.recovery.Journal;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * The suite on a bond over devices of libibverbs, where there are some: {@code -Dvhca.conformance.members=rxe0,rxe1}.
 * Both ends bond the same devices, each with contexts of its own; each finds a port that is free.
 */
@EnabledIfSystemProperty(
        named = BondOverVerbsConformanceTest.PROPERTY,
        matches = ".+,.+",
        disabledReason = "SKIPPED: no RDMA devices were named by -D" + BondOverVerbsConformanceTest.PROPERTY)
class BondOverVerbsConformanceTest {
    static final String PROPERTY = "vhca.conformance.members";

    private static final DevicePair BOND = new DevicePair() {
        @Override
        public Context openClient() {
            return open("bond-a");
        }

        @Override
        public Context openServer() {
            return open("bond-b");
        }

        @Override
        public InetAddress nobody() {
            return InetAddress.ofLiteral("192.0.2.9");
        }

        /** A lost path is what a bond hides; the rest is what rxe and the network around it do otherwise. */
        @Override
        public Set<Trait> traits() {
            return EnumSet.complementOf(EnumSet.of(
                    Trait.PATH_ERRORS_SURFACE,
                    Trait.UNREACHABLE_SOON,
                    Trait.WITHDRAWAL_TOLD,
                    Trait.EXACT_LOCAL_STATUS,
                    Trait.RESPONDER_EVENTS));
        }
    };

    private static Context open(final String name) {
        final List<String> members = List.of(System.getProperty(PROPERTY, "").split(",", -1));
        final BondConfig config = BondConfig.builder(name)
                .members(members)
                .recoveryTimeoutNs(TimeUnit.SECONDS.toNanos(10))
                .pathTimeoutNs(TimeUnit.SECONDS.toNanos(3))
                .build();
        final List<Context> contexts =
                Arrays.stream(members.toArray(String[]::new)).map(Devices::open).toList();
        final BondContext bond = new BondContext(
                new BondDevice(config), config, contexts, Journal.NONE, new SplittableRandom());
        bond.startAgent();
        return bond;
    }

    @Nested
    class Data extends DataConformance {
        Data() {
            super(BOND);
        }
    }

    @Nested
    class Connections extends ConnectionConformance {
        Connections() {
            super(BOND);
        }
    }

    @Nested
    class Errors extends ErrorConformance {
        Errors() {
            super(BOND);
        }
    }

    @Nested
    class Objects extends ObjectConformance {
        Objects() {
            super(BOND);
        }
    }

    @Nested
    class Events extends EventConformance {
        Events() {
            super(BOND);
        }
    }
}
