package io.vhca.physical.soft.engine.core;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import java.util.ArrayList;
import java.util.List;

/** An engine core without an engine: a test sets time and ownership, and reads what was reported. */
public final class FakeCore implements EngineCore {
    public final List<AsyncEventType> events = new ArrayList<>();
    public long nowNs;
    public boolean isDead;
    public boolean isOwner = true;
    public int notified;
    /** How pollers drove the engine, and what that does. */
    public final List<String> drives = new ArrayList<>();

    public Runnable duty = () -> {};
    private final SoftNicConfig config = new SoftNicConfig();
    private final NicCounters counters = new NicCounters("soft0");

    @Override
    public String name() {
        return "soft0";
    }

    @Override
    public SoftNicConfig config() {
        return config;
    }

    @Override
    public NicCounters counters() {
        return counters;
    }

    @Override
    public void queuePairFault(final Throwable e) {
        counters.queuePairFault(e);
    }

    @Override
    public long nowNs() {
        return nowNs;
    }

    @Override
    public boolean isDead() {
        return isDead;
    }

    @Override
    public void acquire() {
        // The test owns it.
    }

    @Override
    public void acquireFor(final String verb) {
        if (isDead) {
            throw new VerbsException(verb, Errno.EIO, name(), "the device is dead");
        }
    }

    @Override
    public void release() {
        // The test owns it.
    }

    @Override
    public boolean isOwner() {
        return isOwner;
    }

    @Override
    public void raise(final AsyncEvent event) {
        events.add(event.type());
    }

    @Override
    public void destroyed(final Object object) {
        // Nobody waits for events.
    }

    @Override
    public void firstRequest(final int qpNum) {
        throw new AssertionError("no request arrives");
    }

    @Override
    public void notifyCq(final CompletionQueue cq) {
        notified++;
    }

    @Override
    public boolean driveInline() {
        drives.add("run");
        duty.run();
        return true;
    }

    @Override
    public boolean driveHolding() {
        drives.add("hold");
        duty.run();
        return true;
    }

    @Override
    public void sendHeld() {
        drives.add("send");
    }

    @Override
    public void driveSends(final boolean isAnswerDue) {
        // There is no engine.
    }

    @Override
    public void require(final String verb, final boolean isRight, final String rule) {
        if (!isRight) {
            throw new VerbsException(verb, Errno.EINVAL, name(), rule);
        }
    }
}
