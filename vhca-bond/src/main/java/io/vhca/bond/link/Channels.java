package io.vhca.bond.link;

import io.vhca.api.VerbsException;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.member.CompletionWakers;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.Members;
import io.vhca.bond.trace.TraceEventDescriptor;
import io.vhca.bond.trace.TraceObject;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The {@link PathChannel}s of a bond: for each path to a peer one that this side opened, and one that the peer did, as
 * far as either needs it. Control lock.
 */
public final class Channels implements PathChannel.Listener {
    private final BondCore core;
    private final Links links;
    private final CompletionWakers wakers;
    private final PathChannel.Listener listener;
    private final Map<ChannelPlace, PathChannel> open = new LinkedHashMap<>();
    /** The number of the last one that the peer has opened over each path: who repeats its REQ opens none. */
    private final Map<ChannelPlace, Integer> heard = new HashMap<>();
    /** Of paths that failed. */
    private final Set<PathChannel> suspects = new LinkedHashSet<>();
    /** Of no use any more, and not ended yet. */
    private final Set<PathChannel> left = new LinkedHashSet<>();

    /**
     * @param members  whose wakers wake the bond's thread when something arrives
     * @param listener is told what arrives, by whichever of them
     */
    public Channels(
            final BondCore core, final Links links, final Members members,
            final PathChannel.Listener listener) {
        this.core = core;
        this.links = links;
        wakers = members.wakers();
        this.listener = listener;
    }

    public boolean isEmpty() {
        return open.isEmpty();
    }

    /** Takes what arrived on all; how much that was. */
    public int poll(final long nowNs) {
        assert core.holdsLock();
        int work = 0;
        if (!open.isEmpty()) {
            for (final PathChannel channel : List.copyOf(open.values())) {
                work += channel.poll(nowNs);
            }
        }
        return work;
    }

    /** Sends what was said by them in this turn. */
    public void flush() {
        assert core.holdsLock();
        if (!open.isEmpty()) {
            open.values().forEach(PathChannel::flush);
        }
    }

    /** Looks whether the other ends are there: who vanishes with his device says nothing. */
    public void probe() {
        assert core.holdsLock();
        List.copyOf(open.values()).forEach(PathChannel::probe); // what cannot be sent over ends
    }

    /** A connection failed: the channels over the same path may not carry any more either. */
    public void suspect(final Peer peer, final PathLink failed) {
        assert core.holdsLock();
        for (final boolean isOwn : new boolean[] {true, false}) {
            final PathChannel channel = open.get(new ChannelPlace(peer, failed.member(), failed.remote(), isOwn));
            if (channel != null) {
                suspects.add(channel);
            }
        }
    }

    /** Whether there are channels of paths that failed. */
    public boolean hasSuspects() {
        return !suspects.isEmpty();
    }

    /**
     * Looks whether the channels of paths that failed carry, where something stands by on them; leaves the others: they
     * are opened anew where that can be.
     */
    public void lookAtSuspects(final Predicate<PathChannel> isOfUse) {
        assert core.holdsLock();
        for (final PathChannel suspect : List.copyOf(suspects)) {
            if (isOfUse.test(suspect)) {
                suspect.probe();
            } else {
                leave(suspect);
            }
        }
        suspects.clear();
    }

    /** Whether something was said that could be sent now. */
    public boolean hasUnsent() {
        assert core.holdsLock();
        return open.values().stream().anyMatch(PathChannel::hasUnsent);
    }

    /** The one that this side opened, once it carries; null until then, and where there is none. */
    public @Nullable PathChannel own(final Peer peer, final Member member, final InetAddress remote) {
        return carrying(new ChannelPlace(peer, member, remote, true));
    }

    /** The one that the peer opened over the path of a link, once it carries; or null. */
    public @Nullable PathChannel ofPeer(final Peer peer, final PathLink link) {
        return carrying(new ChannelPlace(peer, link.member(), link.remote(), false));
    }

    private @Nullable PathChannel carrying(final ChannelPlace place) {
        assert core.holdsLock();
        final PathChannel found = open.get(place);
        return found != null && found.isEstablished() ? found : null;
    }

    /**
     * Begins to open one, unless that is under way.
     *
     * @param record makes that of a session with that peer
     */
    public void open(
            final Peer peer, final Member member, final InetSocketAddress to, final Supplier<byte[]> record,
            final boolean isOlder) {
        assert core.holdsLock();
        final ChannelPlace place = new ChannelPlace(peer, member, to.getAddress(), true);
        if (open.containsKey(place)) {
            return;
        }
        final PathChannel opened = new PathChannel(core, links, wakers, place, this);
        open.put(place, opened);
        try {
            opened.begin(links.recover(opened, member, to, record.get(), isOlder));
        } catch (final VerbsException e) {
            core.counters().ignored(e);
            opened.end();
        }
    }

    /**
     * The peer opens one; the one before it over the same path is no more.
     *
     * @return false where that was asked for before, or over more paths to the member than a peer has members
     */
    public boolean accept(
            final Peer peer, final PathLink request, final int number, final byte[] reply, final long nowNs) {
        assert core.holdsLock();
        final ChannelPlace place = new ChannelPlace(peer, request.member(), request.remote(), false);
        if (Integer.compareUnsigned(number, heard.getOrDefault(place, 0)) <= 0) {
            return false;
        }
        final PathChannel before = open.get(place);
        if (before == null && ofPeerOn(peer, request.member()) >= BondConfig.MAX_MEMBERS) {
            return false;
        }
        heard.put(place, number);
        if (before != null) {
            before.end();
        }
        final PathChannel opened = new PathChannel(core, links, wakers, place, this);
        open.put(place, opened);
        opened.accept(request, reply, nowNs);
        return true;
    }

    private long ofPeerOn(final Peer peer, final Member member) {
        return open.keySet().stream()
                .filter(place -> !place.isOwn() && place.peer() == peer && place.member() == member)
                .count();
    }

    /** Ends those of peers that nothing here belongs to any more. */
    public void endUnneeded() {
        end(place -> !place.peer().isHeld());
        heard.keySet().removeIf(place -> !place.peer().isHeld());
    }

    /** Ends those on a member. */
    public void endOn(final Member member) {
        end(place -> place.member() == member);
    }

    /** Those on a member are of no use any more; they are ended when there is time for it. */
    public void leave(final Member member) {
        assert core.holdsLock();
        open.forEach((place, channel) -> {
            if (place.member() == member) {
                leave(channel);
            }
        });
    }

    private void leave(final PathChannel channel) {
        channel.leave();
        left.add(channel);
    }

    /** Whether there are some to be ended. */
    public boolean hasLeft() {
        return !left.isEmpty();
    }

    /** There is time to end what is of no use. */
    public void endLeft() {
        assert core.holdsLock();
        List.copyOf(left).forEach(PathChannel::end);
    }

    /** Ends those on members that an operator has drained. */
    public void endOnDrained() {
        end(place -> place.member().isDrained());
    }

    /**
     * Ends those whose opening began before the peer said what its members are: one may be up that was not, and the
     * connection manager repeats a request that was lost only after seconds.
     */
    public void endOutdated() {
        List.copyOf(open.values()).stream().filter(PathChannel::isOutdated).forEach(PathChannel::end);
    }

    public void endAll() {
        end(place -> true);
    }

    private void end(final Predicate<ChannelPlace> which) {
        assert core.holdsLock();
        for (final Map.Entry<ChannelPlace, PathChannel> entry : List.copyOf(open.entrySet())) {
            if (which.test(entry.getKey())) {
                entry.getValue().end();
            }
        }
    }

    @Override
    public void onMessage(
            final PathChannel channel, final int kind, final int qpNum, final int number, final byte[] data,
            final long nowNs) {
        listener.onMessage(channel, kind, qpNum, number, data, nowNs);
    }

    @Override
    public void onEstablished(final PathChannel channel) {
        trace(TraceEventDescriptor.CHANNEL_READY, channel.place());
        listener.onEstablished(channel);
    }

    @Override
    public void onOver(final PathChannel channel) {
        trace(TraceEventDescriptor.CHANNEL_OVER, channel.place());
        suspects.remove(channel);
        left.remove(channel);
        open.remove(channel.place(), channel);
        listener.onOver(channel);
    }

    private void trace(final int event, final ChannelPlace place) {
        core.trace(event, TraceObject.NONE, place.member().index(), place.isOwn() ? 1 : 0, 0, 0);
    }
}
