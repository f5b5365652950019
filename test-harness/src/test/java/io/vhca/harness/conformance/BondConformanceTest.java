package io.vhca.harness.conformance;

import io.vhca.api.Context;
import io.vhca.bond.BondConfig;
import io.vhca.bond.BondContext;
import io.vhca.bond.BondDevice;
import io.vhca.physical.soft.SoftConfig;
import io.vhca.physical.soft.SoftDevice;
import io.vhca.recovery.Journal;
import java.net.InetAddress;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Nested;

/** The suite on a bond over two embedded RNICs each. */
class BondConformanceTest {
    private static final Bond CLIENT = new Bond("bond-a", soft("soft-c", 11), soft("soft-d", 12));
    private static final Bond SERVER = new Bond("bond-b", soft("soft-e", 21), soft("soft-f", 22));
    private static final DevicePair BOND = new DevicePair() {
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

        /** A lost path is what a bond hides; that it ends in a named error when no path is left, other tests show. */
        @Override
        public Set<Trait> traits() {
            return EnumSet.complementOf(EnumSet.of(Trait.PATH_ERRORS_SURFACE));
        }
    };

    private static SoftDevice soft(final String name, final int last) {
        return SoftDevice.overUdp(new SoftConfig(name, SoftConformanceTest.own(last), 4096));
    }

    /** Opens a new bond each time, over devices that several contexts can share. */
    private record Bond(String name, SoftDevice first, SoftDevice second) {
        Context open() {
            final BondConfig config = BondConfig.builder(name)
                    .members(List.of(first.name(), second.name()))
                    .recoveryTimeoutNs(TimeUnit.SECONDS.toNanos(2))
                    .build();
            final BondContext bond = new BondContext(
                    new BondDevice(config),
                    config,
                    List.of(first.open(), second.open()),
                    Journal.NONE,
                    new SplittableRandom());
            bond.startAgent();
            return bond;
        }
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

    @Nested
    class Datagrams extends DatagramConformance {
        Datagrams() {
            super(BOND);
        }
    }
}
