package io.vhca.bond.verbs;

import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.MemberPart;
import io.vhca.bond.member.Members;
import io.vhca.bond.wire.QpNumDescriptor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * A completion channel over one channel on every member. Waiting blocks on the channel of the member that was heard
 * last, in slices, and looks at the others between them: a wake-up from the active member and of an owed completion is
 * immediate, one from another member comes within a slice.
 */
public final class BondCompletionChannel implements CompletionChannel, MemberPart {
    private static final long SLICE_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private final VerbsScope scope;
    private final BondCore core;
    private final Members members;
    private final AtomicReferenceArray<@Nullable CompletionChannel> channels;
    private final LinkedBlockingQueue<BondCompletionQueue> own = new LinkedBlockingQueue<>();
    private int users;
    private volatile int lastHeard;
    /** Whoever waits, or would wait next, is to be given nothing. */
    private final AtomicBoolean isWoken = new AtomicBoolean();
    private volatile boolean closed;

    public BondCompletionChannel(final VerbsScope scope) {
        this.scope = scope;
        core = scope.core();
        members = scope.members();
        channels = new AtomicReferenceArray<>(QpNumDescriptor.MAX_MEMBERS);
        for (final Member member : members.all()) {
            channels.set(
                    member.index(),
                    member.part(core.counters(), () -> createOn(member)));
        }
        members.addPart(this);
        core.begins(this, this);
    }

    @Nullable CompletionChannel memberChannel(final int member) {
        return channels.get(member);
    }

    private CompletionChannel createOn(final Member member) {
        final CompletionChannel made = member.context().createCompChannel();
        core.onMember(member.name(), made, 1);
        return made;
    }

    @Override
    public void drop(final Member member) {
        final CompletionChannel channel = channels.getAndSet(member.index(), null);
        if (channel != null) {
            channel.close();
            core.onMember(member.name(), channel, -1);
        }
    }

    @Override
    public void rebuild(final Member member) {
        channels.set(member.index(), createOn(member));
    }

    void retain() {
        users++;
    }

    void release() {
        users--;
    }

    void offer(final BondCompletionQueue cq) {
        own.add(cq);
        wakeWaiter();
    }

    @Override
    public Context context() {
        return scope.context();
    }

    @Override
    public @Nullable CompletionQueue getCqEvent(final long timeoutNs) {
        if (timeoutNs > 0) {
            core.requireMayWait("getCqEvent");
        }
        final long start = System.nanoTime();
        while (!closed) {
            final CompletionQueue ready = takeReady();
            if (ready != null) {
                return ready;
            }
            final long left = timeoutNs - (System.nanoTime() - start);
            if (left <= 0 || isWoken.getAndSet(false)) {
                return null;
            }
            final CompletionQueue heard = waitOn(lastHeard, Math.min(left, SLICE_NS));
            if (heard != null) {
                return heard;
            }
        }
        return null;
    }

    @Override
    public void wakeUp() {
        isWoken.set(true);
        wakeWaiter();
    }

    /** Who waits on a member's channel looks around at once; one that has just gone to another's does after a slice. */
    private void wakeWaiter() {
        final CompletionChannel channel = channels.get(lastHeard);
        if (channel != null) {
            channel.wakeUp();
        }
    }

    private @Nullable CompletionQueue takeReady() {
        final BondCompletionQueue owed = own.poll();
        if (owed != null) {
            return owed;
        }
        for (int member = 0; member < channels.length(); member++) {
            final CompletionQueue heard = waitOn(member, 0);
            if (heard != null) {
                return heard;
            }
        }
        return null;
    }

    private @Nullable CompletionQueue waitOn(final int member, final long timeoutNs) {
        final CompletionChannel channel = channels.get(member);
        if (channel == null) {
            if (timeoutNs > 0) {
                java.util.concurrent.locks.LockSupport.parkNanos(timeoutNs);
            }
            return null;
        }
        final CompletionQueue physical = channel.getCqEvent(timeoutNs);
        if (physical != null && physical.cqContext() instanceof BondCompletionQueue cq) {
            lastHeard = member;
            // A second member's event for the same request to be notified is not the application's.
            return cq.heard(member, physical) ? cq : null;
        }
        return null;
    }

    @Override
    public void close() {
        core.lock();
        try {
            if (closed) {
                return;
            }
            if (users > 0) {
                throw new VerbsException(
                        "destroyCompChannel",
                        Errno.EBUSY,
                        core.name() + " completion channel",
                        users + " completion queues still use it; destroy those first");
            }
            closed = true;
            members.removePart(this);
            members.all().forEach(this::drop);
            core.ends(this);
            scope.children().remove(this);
        } finally {
            core.unlock();
        }
    }

    @Override
    public String toString() {
        return core.name() + " completion channel";
    }
}
