package io.vhca.harness.drill.fabric;

import io.vhca.harness.drill.protocol.DrillLine;
import io.vhca.harness.drill.protocol.DrillPeer;
import java.util.concurrent.BlockingQueue;

/**
 * A process of the drill on another host. It is asked for its nanoTime some times over; the fastest answer tells how
 * its clock differs, and what it says later comes with this process' times. Any thread.
 */
final class RemotePeer implements DrillPeer {
    private static final int ROUNDS = 20;

    private final ChildProcess child;
    private long askedNs;
    private int rounds;
    private long bestNs = Long.MAX_VALUE;
    private long offsetNs;

    private RemotePeer(final ChildProcess child) {
        this.child = child;
    }

    /**
     * @param there what the child says
     * @param said  gets it with this process' times
     */
    static RemotePeer of(
            final ChildProcess child,
            final BlockingQueue<ChildProcess.Said> there,
            final BlockingQueue<ChildProcess.Said> said) {
        final RemotePeer peer = new RemotePeer(child);
        Thread.ofPlatform().name("drill-remote").daemon().start(() -> {
            try {
                peer.askTime();
                for (ChildProcess.Said next = there.take(); peer.pass(next, said); next = there.take()) {
                    // Each is passed on as it comes.
                }
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        return peer;
    }

    private void askTime() {
        askedNs = System.nanoTime();
        child.tell(DrillLine.of("clock"));
    }

    /** @return false after the last line */
    private boolean pass(final ChildProcess.Said next, final BlockingQueue<ChildProcess.Said> said) {
        final DrillLine line = next.line();
        if (line.kind().equals("clock")) {
            onTime(System.nanoTime(), line.number("now"));
        } else {
            said.add(new ChildProcess.Said(next.child(), line.onClock(thereNs -> thereNs + offsetNs)));
        }
        return !line.kind().equals("exited");
    }

    private void onTime(final long heardNs, final long thereNs) {
        final long tripNs = heardNs - askedNs;
        if (tripNs < bestNs) {
            bestNs = tripNs;
            offsetNs = askedNs + tripNs / 2 - thereNs;
        }
        rounds++;
        if (rounds < ROUNDS) {
            askTime();
        }
    }

    @Override
    public void tell(final DrillLine line) {
        child.tell(line);
    }

    /** Asks the process to end itself at once, as kill -9 would: a remote shell's death may not be its command's. */
    @Override
    public void kill() {
        child.tell(DrillLine.of("halt"));
    }

    @Override
    public String noise() {
        return child.noise();
    }

    /** The process ends when its input does. */
    @Override
    public void close() {
        child.close();
    }
}
