package io.vhca.bond.fake;

import io.vhca.api.AsyncEvent;
import io.vhca.api.Context;
import io.vhca.api.NativeMemory;
import io.vhca.bond.BondContext;
import io.vhca.bond.BondDevice;
import io.vhca.bond.cm.BondEventChannel;
import io.vhca.bond.cm.CmScope;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.MemberSource;
import io.vhca.bond.queue.SharedSlots;
import io.vhca.bond.verbs.BondProtectionDomain;
import io.vhca.bond.verbs.VerbsScope;
import io.vhca.recovery.MemoryJournal;
import io.vhca.recovery.RewindPlan;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.concurrent.SystemNanoClock;

/** A whole bond over fake devices, whose turns a test makes. */
public final class HandBond implements AutoCloseable {
    private final List<FakeDevice> devices;
    private final BondContext context;
    private final MemoryJournal journal = new MemoryJournal(10_000);
    private final BondEventChannel channel;
    private final BondProtectionDomain pd;

    /** @param source opens a member's device again, and devices that become members */
    public HandBond(
            final BondConfig config, final long seed, final List<FakeDevice> devices, final MemberSource source) {
        this.devices = devices;
        final List<Context> opened = devices.stream().map(FakeDevice::open).toList();
        context = new BondContext(
                new BondDevice(config), config, opened, source, journal, new SplittableRandom(seed), RewindPlan::of);
        channel = (BondEventChannel) context.createEventChannel();
        pd = (BondProtectionDomain) context.allocPd();
    }

    public BondContext context() {
        return context;
    }

    public FakeDevice device(final int member) {
        return devices.get(member);
    }

    public BondEventChannel channel() {
        return channel;
    }

    public BondProtectionDomain pd() {
        return pd;
    }

    /** The parts of the bond that connections are made of. */
    public CmScope cm() {
        return channel.scope();
    }

    /** The parts of the bond that verbs objects are made of. */
    public VerbsScope verbs() {
        return pd.scope();
    }

    public Member member(final int index) {
        return verbs().members().all().get(index);
    }

    /** The physical connections on a member. */
    public List<PathLink> linksOn(final int index) {
        final List<PathLink> all = new ArrayList<>();
        locked(() -> all.addAll(cm().links().on(member(index))));
        return all;
    }

    public long count(final Counter counter) {
        return context.counters().get(counter);
    }

    /** What happened so far, a line each. */
    public String journal() {
        return journal.format();
    }

    /** The asynchronous events that the application has not taken yet. */
    public List<AsyncEvent> events() {
        final List<AsyncEvent> all = new ArrayList<>();
        for (AsyncEvent event = context.getAsyncEvent(0); event != null; event = context.getAsyncEvent(0)) {
            all.add(event);
        }
        return all;
    }

    /** Does something with the control lock held. */
    public void locked(final Runnable action) {
        verbs().core().lock();
        try {
            action.run();
        } finally {
            verbs().core().unlock();
        }
    }

    /** Breaks a marker of each vSRQ, as native code of an application would that writes beyond its buffer. */
    public void overrunShared() {
        locked(() -> {
            try (Arena arena = Arena.ofConfined()) {
                verbs().core().memory().freeze(arena, SystemNanoClock.INSTANCE, object -> {
                    if (object instanceof SharedSlots slots) {
                        NativeMemory.putByte(slots.nativeBlock().parts().getFirst().marker(true), (byte) 0x41);
                    }
                });
            }
        });
    }

    @Override
    public void close() {
        pd.close();
        channel.close();
        context.close();
    }
}
