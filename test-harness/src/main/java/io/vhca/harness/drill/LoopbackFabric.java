package io.vhca.harness.drill;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;

/** Soft ports on addresses in 127/8; a cut unplugs a port inside the child that has it. */
final class LoopbackFabric implements Fabric {
    private final Map<Boolean, ChildProcess> children = new ConcurrentHashMap<>();
    private final int base;
    private final DrillScenario scenario;

    /** @param base third octet of the sender's addresses; the receiver's is one more */
    LoopbackFabric(final int base, final DrillScenario scenario) {
        this.base = base;
        this.scenario = scenario;
    }

    @Override
    public void setUp() {
        // Every address of 127/8 serves.
    }

    @Override
    public List<String> members() {
        return List.of("soft0", "soft1");
    }

    @Override
    public String devices(final boolean ofReceiver) {
        final int octet = base + (ofReceiver ? 1 : 0);
        return "soft0=127.77." + octet + ".1,soft1=127.77." + octet + ".2";
    }

    @Override
    public DrillPeer start(
            final boolean ofReceiver,
            final List<String> properties,
            final List<String> args,
            final BlockingQueue<ChildProcess.Said> said)
            throws IOException {
        final ChildProcess child =
                ChildProcess.soft(List.of(), Fabric.name(ofReceiver), devices(ofReceiver), properties, args, said);
        children.put(ofReceiver, child);
        return child;
    }

    @Override
    public long plug(final boolean ofReceiver, final String member, final boolean up) {
        final ChildProcess child = children.get(ofReceiver);
        final long nowNs = System.nanoTime();
        if (child != null) {
            child.tell(scenario.command(member, up));
        }
        return nowNs;
    }

    @Override
    public String describe() {
        return "loopback: soft RNICs on addresses in 127/8, " + scenario.description();
    }

    @Override
    public String bondOptions() {
        return scenario.bondOptions(members().getFirst());
    }

    @Override
    public long healAfterNs() {
        return scenario.healAfterNs();
    }

    @Override
    public void close() {
        // Nothing was made.
    }
}
