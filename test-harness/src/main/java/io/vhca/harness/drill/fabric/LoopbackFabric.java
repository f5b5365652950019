package io.vhca.harness.drill.fabric;

import io.vhca.harness.drill.protocol.DrillPeer;
import io.vhca.harness.drill.protocol.DrillScenario;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Soft ports on addresses in 127/8; a cut unplugs a port inside the child that has it, or does something else to it,
 * one scenario after the other. One thread, but for {@link #process}.
 */
public final class LoopbackFabric implements Fabric {
    public static final List<String> MEMBERS = List.of("soft0", "soft1");

    private static final LoopbackNets NETS = LoopbackNets.claim();

    private final Map<Boolean, ChildProcess> children = new ConcurrentHashMap<>();
    private final List<DrillScenario> scenarios;
    private final int heapMb;
    private final long endAfterNs;
    private int healed;

    public LoopbackFabric(final DrillScenario scenario) {
        this(List.of(scenario), 0, 0);
    }

    /**
     * A fabric for one scenario after the other.
     *
     * @param heapMb     of each process, touched at the start; 0 for the usual
     * @param endAfterNs see {@link Fabric#endAfterNs}
     */
    public LoopbackFabric(final List<DrillScenario> scenarios, final int heapMb, final long endAfterNs) {
        this.scenarios = List.copyOf(scenarios);
        this.heapMb = heapMb;
        this.endAfterNs = endAfterNs;
    }

    /** The scenario of the cut under way, or of the next one. */
    private DrillScenario scenario() {
        return scenarios.get(healed % scenarios.size());
    }

    /** The process of that side, or null before it runs. Any thread. */
    public @Nullable ProcessHandle process(final boolean ofReceiver) {
        final ChildProcess child = children.get(ofReceiver);
        return child == null ? null : child.handle();
    }

    @Override
    public void setUp() {
        // Every address of 127/8 serves.
    }

    @Override
    public List<String> members(final boolean ofReceiver) {
        return MEMBERS;
    }

    @Override
    public String devices(final boolean ofReceiver) {
        return devices(ofReceiver, "");
    }

    /** The soft ports of one side, each with the same options. */
    public static String devices(final boolean ofReceiver, final String portOptions) {
        final String net = ofReceiver ? NETS.receiver() : NETS.sender();
        return IntStream.range(0, MEMBERS.size())
                .mapToObj(port -> MEMBERS.get(port) + "=" + net + (port + 1) + portOptions)
                .collect(Collectors.joining(","));
    }

    @Override
    public DrillPeer start(
            final boolean ofReceiver,
            final List<String> properties,
            final List<String> args,
            final BlockingQueue<ChildProcess.Said> said)
            throws IOException {
        final ChildProcess child =
                ChildProcess.soft(
                        List.of(), heapMb, Fabric.name(ofReceiver), devices(ofReceiver), properties, args, said);
        children.put(ofReceiver, child);
        return child;
    }

    @Override
    public long plug(final boolean ofReceiver, final String member, final boolean up) {
        final ChildProcess child = children.get(ofReceiver);
        final long nowNs = System.nanoTime();
        if (child != null) {
            child.tell(scenario().command(member, up));
        }
        healed += up ? 1 : 0;
        return nowNs;
    }

    @Override
    public String describe() {
        return "loopback: soft RNICs on addresses in 127/8, "
                + scenarios.stream().map(DrillScenario::description).collect(Collectors.joining("; "));
    }

    @Override
    public String bondOptions(final boolean ofReceiver) {
        return scenario().bondOptions(members(ofReceiver).getFirst());
    }

    @Override
    public long healAfterNs() {
        return scenario().healAfterNs();
    }

    @Override
    public long endAfterNs() {
        return endAfterNs;
    }

    @Override
    public void close() {
        // Nothing was made.
    }
}
