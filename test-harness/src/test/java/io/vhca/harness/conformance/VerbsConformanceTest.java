package io.vhca.harness.conformance;

import io.vhca.api.Context;
import io.vhca.api.Devices;
import java.net.InetAddress;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * The suite on a device of libibverbs, where there is one: {@code -Dvhca.conformance.device=rxe0}, both ends on it; two
 * names of devices that reach each other, {@code rxe0,rxe1}, put the ends on one each.
 */
@EnabledIfSystemProperty(
        named = VerbsConformanceTest.PROPERTY,
        matches = ".+",
        disabledReason = "SKIPPED: no RDMA device was named by -D" + VerbsConformanceTest.PROPERTY)
class VerbsConformanceTest extends ConformanceSuite {
    static final String PROPERTY = "vhca.conformance.device";

    private static final DevicePair VERBS = new DevicePair() {
        private String name(final int end) {
            final String[] names = System.getProperty(PROPERTY, "").split(",");
            return names[Math.min(end, names.length - 1)];
        }

        @Override
        public Context openClient() {
            return Devices.open(name(0));
        }

        @Override
        public Context openServer() {
            return Devices.open(name(1));
        }

        @Override
        public InetAddress nobody() {
            return InetAddress.ofLiteral("192.0.2.9");
        }

        /** Whether anybody can be unreachable depends on the network around the device. */
        @Override
        public Set<Trait> traits() {
            final EnumSet<Trait> missing = EnumSet.of(Trait.UNREACHABLE_SOON, Trait.WITHDRAWAL_TOLD);
            if (name(0).startsWith("rxe")) {
                missing.addAll(EnumSet.of(
                        Trait.EXACT_LOCAL_STATUS, Trait.RESPONDER_EVENTS, Trait.DRAIN_TOLD_WHEN_EMPTY));
            }
            return EnumSet.complementOf(missing);
        }
    };

    VerbsConformanceTest() {
        super(VERBS);
    }
}
