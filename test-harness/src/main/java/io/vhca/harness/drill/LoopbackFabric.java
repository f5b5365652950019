package io.vhca.harness.drill;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** Soft ports on addresses in 127/8; a cut unplugs a port inside the child that has it. */
final class LoopbackFabric implements Fabric {
    private final AtomicReference<ChildProcess> sender = new AtomicReference<>();
    private final AtomicReference<ChildProcess> receiver = new AtomicReference<>();
    private final int base;

    /** @param base third octet of the sender's addresses; the receiver's is one more */
    LoopbackFabric(final int base) {
        this.base = base;
    }

    void children(final ChildProcess sending, final ChildProcess receiving) {
        sender.set(sending);
        receiver.set(receiving);
    }

    @Override
    public void setUp() {
        // Every address of 127/8 serves.
    }

    @Override
    public String softDevices(final boolean ofReceiver) {
        final int octet = base + (ofReceiver ? 1 : 0);
        return "soft0=127.77." + octet + ".1,soft1=127.77." + octet + ".2";
    }

    @Override
    public List<String> prefix(final boolean ofReceiver) {
        return List.of();
    }

    @Override
    public long plug(final boolean ofReceiver, final String member, final boolean up) {
        final ChildProcess child = ofReceiver ? receiver.get() : sender.get();
        final long nowNs = System.nanoTime();
        if (child != null) {
            child.tell(DrillLine.of("plug", "device", member, "up", up));
        }
        return nowNs;
    }

    @Override
    public String describe() {
        return "loopback: soft RNICs on addresses in 127/8, a cut unplugs a soft port";
    }

    @Override
    public void close() {
        // Nothing was made.
    }
}
