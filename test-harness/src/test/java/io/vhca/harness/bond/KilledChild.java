package io.vhca.harness.bond;

import io.vhca.api.Context;
import io.vhca.bond.BondDevice;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.config.BondConfigParser;
import io.vhca.bond.config.BondOption;
import io.vhca.examples.RdmaConnection;
import io.vhca.examples.RdmaListener;
import io.vhca.harness.drill.protocol.ChildFailure;
import java.util.List;

/** A process whose two bonds talk until it is killed: what {@link BondKilledTest} starts. */
final class KilledChild {
    static final String LOADED = "loaded";
    /** Messages before it says so: more than a ring of a trace, or a capture, has. */
    private static final int MESSAGES = 3_000;

    private KilledChild() {}

    public static void main(final String[] args) throws Exception {
        ChildFailure.obey(line -> {}); // whoever started it is gone where its input ends
        final Context client = open("bond-k", "kc0", "kc1");
        final Context server = open("bond-l", "kc2", "kc3");
        try (RdmaListener listener = RdmaListener.listen(server, 0);
                RdmaConnection there = RdmaConnection.connect(client, listener.address());
                RdmaConnection here = listener.accept()) {
            there.awaitEstablished();
            for (long number = 1; ; number++) {
                there.send("text " + number);
                here.receiveText();
                if (number == MESSAGES) {
                    System.out.println(LOADED);
                }
            }
        }
    }

    private static Context open(final String name, final String one, final String other) {
        final BondConfig config = BondConfigParser.change(
                BondConfig.builder(name).members(List.of(one, other)).build(),
                List.of(BondOption.TRACE.name() + "=event,post=detail,poll=detail"));
        return new BondDevice(config).open();
    }
}
