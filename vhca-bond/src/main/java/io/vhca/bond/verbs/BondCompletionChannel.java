package io.vhca.bond.verbs;

import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.EventListener;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.MemberPart;
import io.vhca.bond.member.Members;
import io.vhca.bond.wire.QpNumDescriptor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A completion channel over one channel on every member. Who waits blocks on the channel of the member that was heard
 * last; the other members' channels tell of their events, once each time they are asked, and wake him, as does an owed
 * completion. Where a device tells nobody, he looks at all of them every millisecond. Any thread.
 *
 * <p>Nobody who waits is forgotten: he is counted before he looks for the last time, and who has something for him
 * looks at the count afterwards.
 */
public final class BondCompletionChannel implements CompletionChannel, MemberPart {
    private static final long SLICE_NS = TimeUnit.MILLISECONDS.toNanos(1);
    /** All members are looked at as often, whatever they tell: a device that forgets to is late and not silent. */
    private static final long LONGEST_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final int NOBODY = -1;

    private final VerbsScope scope;
    private final BondCore core;
    private final Members members;
    private final AtomicReferenceArray<@Nullable CompletionChannel> channels;
    /** By member: 1 where its channel was asked to tell, and has not. */
    private final AtomicIntegerArray asked = new AtomicIntegerArray(QpNumDescriptor.MAX_MEMBERS);
    /** By member: how many threads wait on its channel. */
    private final AtomicIntegerArray waiting = new AtomicIntegerArray(QpNumDescriptor.MAX_MEMBERS);
    private final LinkedBlockingQueue<BondCompletionQueue> own = new LinkedBlockingQueue<>();
    private int users;
    private volatile int lastHeard;
    private final EventListener listener = new EventListener();
    /** False once a member's channel was met that tells nobody. */
    private volatile boolean isTold = true;
    /** Whoever waits, or would wait next, is to be given nothing. */
    private final AtomicBoolean isWoken = new AtomicBoolean();
    private volatile boolean closed;

    public BondCompletionChannel(final VerbsScope scope) {
        this.scope = scope;
        core = scope.core();
        members = scope.members();
        channels = new AtomicReferenceArray<>(QpNumDescriptor.MAX_MEMBERS);
        try {
            for (final Member member : members.all()) {
                channels.set(
                        member.index(),
                        member.part(core.counters(), () -> createOn(member)));
            }
        } catch (final RuntimeException | Error e) {
            members.all().forEach(this::drop);
            throw e;
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
        asked.set(member.index(), 0);
        wakeAll(); // the new one tells nobody before it is asked
    }

    public boolean isClosed() {
        return closed;
    }

    void retain() {
        users++;
    }

    /** It is closed: nobody can do anything with its events. */
    void release(final BondCompletionQueue cq) {
        users--;
        own.removeIf(one -> one == cq);
    }

    void offer(final BondCompletionQueue cq) {
        own.add(cq);
        wakeAll();
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
        for (boolean hasWaited = false; !closed; hasWaited = true) {
            final int at = present();
            final CompletionQueue ready = takeReady(hasWaited, timeoutNs > 0 ? at : NOBODY);
            if (ready != null) {
                wakeWaiters(true); // of several wake-ups in a row that come to one thread, others are for others
                return ready;
            }
            final long left = timeoutNs - (System.nanoTime() - start);
            if (left <= 0 || isWoken.getAndSet(false) || Thread.currentThread().isInterrupted()) {
                return null;
            }
            final CompletionQueue heard = await(at, left);
            if (heard != null) {
                return heard;
            }
        }
        return null;
    }

    /** Until there may be something to take; what the member that was waited on had itself. */
    private @Nullable CompletionQueue await(final int at, final long leftNs) {
        if (channels.get(at) == null) {
            LockSupport.parkNanos(Math.min(leftNs, SLICE_NS));
            return null;
        }
        waiting.incrementAndGet(at);
        try {
            askOthers(at);
            return hasNews(at) ? null : waitOn(at, Math.min(leftNs, isTold ? LONGEST_NS : SLICE_NS));
        } finally {
            waiting.decrementAndGet(at);
        }
    }

    /** The member that was heard last, or another one where that has no channel now. */
    private int present() {
        int at = lastHeard;
        for (int member = 0; member < channels.length() && channels.get(at) == null; member++) {
            at = member;
        }
        return at;
    }

    /** Every other member's channel is to tell of its next event. */
    private void askOthers(final int at) {
        for (int member = 0; member < channels.length(); member++) {
            final CompletionChannel other = member == at ? null : channels.get(member);
            if (other != null && asked.compareAndSet(member, 0, 1)) {
                final int of = member;
                if (!other.onEvent(() -> told(of))) {
                    isTold = false;
                }
            }
        }
    }

    /** A member's channel has an event. */
    private void told(final int member) {
        if (asked.getAndSet(member, 0) == 1) {
            wakeAll();
        }
    }

    /** Whether there may be something that who waits on a member's channel does not hear there. */
    private boolean hasNews(final int at) {
        return isWoken.get() || closed || hasEvents(at);
    }

    private boolean hasEvents(final int at) {
        boolean isNew = !own.isEmpty();
        for (int member = 0; member < channels.length(); member++) {
            isNew |= member != at && asked.get(member) == 0 && channels.get(member) != null;
        }
        return isNew;
    }

    @Override
    public boolean onEvent(final @Nullable Runnable next) {
        listener.replace(next, () -> {
            askOthers(NOBODY);
            return hasEvents(NOBODY);
        });
        return isTold;
    }

    private void wakeAll() {
        wakeWaiters();
        listener.tell();
    }

    @Override
    public void wakeUp() {
        isWoken.set(true);
        wakeWaiters();
    }

    private void wakeWaiters() {
        wakeWaiters(false);
    }

    /** @param ofDeafAlone only who waits on a member where there may be something that is not heard there */
    private void wakeWaiters(final boolean ofDeafAlone) {
        for (int member = 0; member < channels.length(); member++) {
            final boolean isMeant = waiting.get(member) > 0 && (!ofDeafAlone || hasNews(member));
            final CompletionChannel channel = isMeant ? channels.get(member) : null;
            if (channel != null) {
                channel.wakeUp();
            }
        }
    }

    /**
     * What there is, without waiting.
     *
     * @param isAll  members are looked at that were asked to tell and have not, too
     * @param except a member that will be waited on
     */
    private @Nullable CompletionQueue takeReady(final boolean isAll, final int except) {
        final BondCompletionQueue owed = own.poll();
        if (owed != null) {
            return owed;
        }
        for (int member = 0; member < channels.length(); member++) {
            final CompletionQueue heard =
                    member != except && (isAll || asked.get(member) == 0) ? waitOn(member, 0) : null;
            if (heard != null) {
                return heard;
            }
        }
        return null;
    }

    private @Nullable CompletionQueue waitOn(final int member, final long timeoutNs) {
        final CompletionChannel channel = channels.get(member);
        final CompletionQueue physical = channel == null ? null : channel.getCqEvent(timeoutNs);
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
