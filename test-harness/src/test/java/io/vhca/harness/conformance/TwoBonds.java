package io.vhca.harness.conformance;

import io.vhca.api.Context;
import io.vhca.bond.BondContext;
import io.vhca.bond.BondDevice;
import io.vhca.bond.config.BondConfig;
import io.vhca.recovery.Journal;
import java.net.InetAddress;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Function;

/** Two bonds that reach each other, opened anew for each test over devices that several contexts can share. */
record TwoBonds(End client, End server, InetAddress nobody, Set<DevicePair.Trait> traits) implements DevicePair {
    /** One bond, and how its members are opened. */
    record End(BondConfig config, Function<String, Context> opener) {
        Context open() {
            final List<Context> members = config.members().stream().map(opener).toList();
            final BondContext bond = new BondContext(
                    new BondDevice(config), config, members, Journal.NONE, new SplittableRandom());
            bond.startAgent();
            return bond;
        }
    }

    @Override
    public Context openClient() {
        return client.open();
    }

    @Override
    public Context openServer() {
        return server.open();
    }
}
