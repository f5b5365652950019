package io.vhca.harness.lab;

import io.vhca.harness.drill.child.DrillChild;
import io.vhca.harness.drill.fabric.ChildProcess;
import io.vhca.harness.drill.fabric.Fabric;
import io.vhca.harness.drill.protocol.DrillPeer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.stream.Collectors;

/** The lab as the ground of a drill: the sender in machine 1, the receiver in machine 2. One thread. */
final class LabFabric implements Fabric {
    private static final int SENDER = 1;
    private static final int RECEIVER = 2;
    private final Lab lab;
    private final LabFault fault;
    private final MemberKinds kinds;
    private final List<String> flags;
    private final long endAfterNs;
    private final boolean renewsDevices;
    private final Map<Boolean, LabPeer> peers = new HashMap<>();
    private int cuts;
    /** Of the last cut, which is to be healed. */
    private LabFault kind;

    /**
     * @param kinds      what the members are
     * @param flags      for the JVMs in the machines
     * @param endAfterNs 0 for never
     * @param renewsDevices an interface that was down comes back with a new device
     */
    LabFabric(
            final Lab lab, final LabFault fault, final MemberKinds kinds, final List<String> flags,
            final long endAfterNs, final boolean renewsDevices) {
        this.renewsDevices = renewsDevices;
        this.flags = flags;
        this.endAfterNs = endAfterNs;
        this.lab = lab;
        this.fault = fault;
        kind = fault.ofCut(0);
        this.kinds = kinds;
    }

    @Override
    public void setUp() throws IOException {
        lab.endJvms();
        lab.mend(kinds);
        lab.measureClocks();
    }

    @Override
    public List<String> members(final boolean receiver) {
        return kinds.names(machine(receiver));
    }

    @Override
    public String devices(final boolean receiver) {
        return kinds.names(machine(receiver)).stream()
                .map(name -> name + "=10.77." + link(name) + "." + machine(receiver))
                .collect(Collectors.joining(","));
    }

    private static int machine(final boolean receiver) {
        return receiver ? RECEIVER : SENDER;
    }

    @Override
    public DrillPeer start(
            final boolean receiver,
            final List<String> properties,
            final List<String> args,
            final BlockingQueue<ChildProcess.Said> said)
            throws IOException {
        final List<String> all = new ArrayList<>(properties);
        all.add("vhca.soft=" + kinds.softDevices(machine(receiver)));
        final List<String> words = LabPeer.words(all, DrillChild.class.getName(), args);
        words.addAll(words.indexOf("-cp"), flags);
        final LabPeer peer = LabPeer.start(
                lab, machine(receiver), Fabric.name(receiver), fault == LabFault.POWEROFF, words, said);
        peers.put(receiver, peer);
        return peer;
    }

    @Override
    public long plug(final boolean receiver, final String member, final boolean up) throws IOException {
        if (!up) {
            kind = fault.ofCut(cuts++);
        }
        if (kind.scenario().isOperators()) {
            final long nowNs = System.nanoTime();
            Objects.requireNonNull(peers.get(receiver)).tell(kind.scenario().command(member, up));
            return nowNs;
        }
        final int link = link(member);
        return up && renewsDevices
                ? kind.renew(lab, machine(receiver), link)
                : kind.apply(lab, machine(receiver), link, up);
    }

    private static int link(final String member) {
        return member.charAt(member.length() - 1) - '0';
    }

    @Override
    public long healAfterNs() {
        return fault.healAfterNs();
    }

    @Override
    public long endAfterNs() {
        return endAfterNs;
    }

    /** The machines' emulators: everything in them is late, their kernels too. */
    @Override
    public List<ProcessHandle> starved(final List<DrillPeer> children) {
        return List.of(lab.machine(SENDER).process(), lab.machine(RECEIVER).process());
    }

    /** An emulated machine that starts a JVM besides needs longer than a real one to answer. */
    @Override
    public long pathTimeoutMs() {
        return 3_000;
    }

    @Override
    public String bondOptions(final boolean receiver) {
        return "path_timeout=" + pathTimeoutMs() + "ms " + fault.scenario().bondOptions(members(receiver).getFirst());
    }

    @Override
    public String describe() {
        return "lab: two emulated machines, bond0 over " + sides() + "; " + fault.description();
    }

    private String sides() {
        final String here = String.join(" and ", members(false));
        final String there = String.join(" and ", members(true));
        return here.equals(there) ? here : here + " there, " + there + " here";
    }

    /** The machines go on; the next drill mends what this one left. */
    @Override
    public void close() {
        try {
            if (fault == LabFault.PAUSE) {
                lab.mend(kinds);
            }
        } catch (final IOException e) {
            System.err.println("lab: " + e.getMessage());
        }
    }
}
