package io.vhca.harness.sim.app;

import io.vhca.api.AccessFlags;
import io.vhca.api.AddressHandle;
import io.vhca.api.AhAttributes;
import io.vhca.api.Gid;
import io.vhca.api.MemoryRegion;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpType;
import io.vhca.api.QueuePair;
import io.vhca.api.WorkCompletion;
import io.vhca.harness.sim.check.DatagramBook;
import io.vhca.harness.sim.check.DatagramWire;
import io.vhca.harness.sim.core.Draws;
import io.vhca.harness.sim.core.Feature;
import io.vhca.harness.sim.core.History;
import io.vhca.harness.sim.core.HistoryEvent;
import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.core.Violations;
import io.vhca.harness.sim.fault.Effect;
import io.vhca.harness.sim.host.SimHost;
import io.vhca.harness.sim.host.SoftMember;
import io.vhca.harness.sim.scenario.Scenario;
import io.vhca.harness.sim.scenario.Trait;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The UD queue pairs of one side. Each sends to every one of the peer's: many datagrams at first, then one from time to
 * time, until everything else is done and some have arrived that were sent after the last fault.
 *
 * <p>The simulator's thread. {@link #doWork} whenever the application wakes up.
 */
public final class DatagramTraffic implements DatagramBook.Sender {
    private static final int NEW_HANDLE_ONE_IN = 32;
    private static final int PLACE_ONE_IN = 8;
    private static final int BURST = 4;
    /** Datagrams of each queue pair at first, less than. */
    public static final int MOST_AT_FIRST = 40;
    /** Datagrams that need not get through, sent one at times later. */
    public static final int MOST_LATER = 200;
    private static final long SHORTEST_NS = 1_000;
    private static final long LONGEST_NS = 1_000_000;
    private static final long LONGEST_LATER_NS = 10_000_000;

    private final Side side;
    private final Scenario scenario;
    private final SimHost host;
    private final AppObjects objects;
    private final SplittableRandom random;
    private final DatagramBook book;
    private final History history;
    private final DatagramEnd[] ends;
    private final String[] places;
    /** By destination: the alias of the peer, and each of its members. */
    private final @Nullable AddressHandle[] handles;

    private final int peers;
    private final int sgidIndex;
    private int left;
    private int later = MOST_LATER;
    private long nextNs;
    private boolean isEnding;

    DatagramTraffic(
            final Side side, final Scenario scenario, final SimHost host, final AppMemory memory,
            final AppObjects objects, final DatagramBook book, final History history, final Violations violations) {
        this.side = side;
        this.scenario = scenario;
        this.host = host;
        this.objects = objects;
        this.book = book;
        this.history = history;
        random = Draws.stream(scenario.seed(), 4 + side.ordinal());
        peers = scenario.datagrams().count().of(side.other());
        ends = new DatagramEnd[scenario.datagrams().count().of(side)];
        places = new String[ends.length];
        handles = new AddressHandle[1 + scenario.members(side.other())];
        left = ends.length * random.nextInt(1, MOST_AT_FIRST);
        nextNs = scenario.network().startNs();
        final int mtuBytes = scenario.leastMtuBytes();
        sgidIndex = ends.length == 0 ? 0 : objects.context().ipGidIndex(1);
        final int depth = scenario.datagrams().depth();
        for (int i = 0; i < ends.length; i++) {
            final MemoryRegion region = objects.resources().opened(objects.pd().regMr(
                    memory.allocate(DatagramEnd.memoryBytes(depth, mtuBytes)), AccessFlags.LOCAL_WRITE));
            // Of every fourth each send completes, whatever its flags.
            final boolean isEachSignaled = (scenario.seed() + i & 3) == 0;
            final QpInitAttributes init = new QpInitAttributes(
                    objects.cqs().datagramSends(), objects.cqs().datagramRecvs(), null,
                    new QpCapabilities(depth, depth, 2, 1, DatagramEnd.MAX_INLINE), QpType.UD, isEachSignaled);
            final QueuePair qp = objects.resources().opened(objects.pd().createQp(init));
            ends[i] = new DatagramEnd(
                    i, side, depth, scenario.has(Trait.EVENTS) && scenario.isSolicited(), isEachSignaled,
                    new DatagramWire(scenario.seed(), mtuBytes), qp, region, memory.wrs(), random.split(), violations);
            places[i] = "";
            book.add(side, i, ends[i].qp().qpNum());
        }
        book.add(side, this);
    }

    @Override
    public int nextNumber(final int from, final int to) {
        return from < ends.length ? ends[from].nextNumber(to) : 0;
    }

    /** The end with that vQPN; null for none. */
    @Nullable DatagramEnd byQpNum(final int qpNum) {
        for (final DatagramEnd end : ends) {
            if (end.qp().qpNum() == qpNum) {
                return end;
            }
        }
        return null;
    }

    void onCompletion(final long nowNs, final DatagramEnd end, final WorkCompletion wc) {
        if (wc.wrId() < WrIds.FIRST_RECV) {
            end.onSendCompletion(wc);
            return;
        }
        final long arrived = end.onRecvCompletion(wc, book);
        if (arrived == DatagramEnd.NOTHING) {
            return;
        }
        final int identity = (int) arrived;
        history.add(nowNs, side.ordinal(), -1, HistoryEvent.DATAGRAM_RECEIVED,
                DatagramWire.number(identity), DatagramWire.from(identity) * 10L + DatagramWire.to(identity));
        history.used(Feature.DATAGRAM, 1);
    }

    /** Sends and receives; wakes nobody up. */
    void doWork(final long nowNs, final SimHost peer) {
        for (int i = 0; i < ends.length && !isEnding; i++) {
            ends[i].refill();
            if (random.nextInt(PLACE_ONE_IN) == 0) {
                look(i);
            }
        }
        if (ends.length == 0 || isEnding || nowNs - nextNs < 0) {
            return;
        }
        final boolean isLater = left == 0;
        for (int burst = isLater ? 1 : Math.min(left, random.nextInt(1, BURST + 1)); burst > 0; burst--) {
            send(nowNs, peer, isLater);
        }
        renewHandle(peer);
        nextNs = nowNs + Draws.logUniform(random, SHORTEST_NS, isLater ? LONGEST_LATER_NS : LONGEST_NS);
    }

    private void look(final int end) {
        final String place = host.placeOf(ends[end].qp());
        if (!places[end].isEmpty() && !place.equals(places[end])) {
            history.used(Feature.DATAGRAM_MOVE, 1);
        }
        places[end] = place;
    }

    private void send(final long nowNs, final SimHost peer, final boolean isLater) {
        int from = random.nextInt(ends.length);
        int to = random.nextInt(peers);
        for (int pair = 0; isLater && pair < ends.length * peers && book.isProven(side, from, to); pair++) {
            from = (from + (to + 1) / peers) % ends.length;
            to = (to + 1) % peers;
        }
        final boolean isProven = book.isProven(side, from, to);
        if (!ends[from].hasRoom() || isLater && isProven && later-- <= 0) {
            return;
        }
        // Of one of its members alone a peer need not be known: a member may be gone before it was ever spoken to.
        final int which = isLater && !isProven || random.nextInt(3) > 0 ? 0 : random.nextInt(handles.length);
        left -= isLater ? 0 : 1;
        final int identity = ends[from].post(
                handle(which, peer), to, book.qpNum(side.other(), to), isLater || left == 0);
        history.add(nowNs, side.ordinal(), -1, HistoryEvent.DATAGRAM_SENT,
                DatagramWire.number(identity), from * 10L + to);
    }

    private AddressHandle handle(final int which, final SimHost peer) {
        final AddressHandle known = handles[which];
        if (known != null) {
            return known;
        }
        final Gid gid = Gid.of(which == 0
                ? peer.address(0).getAddress()
                : SoftMember.address(scenario, side.other(), which - 1));
        final AhAttributes attributes = new AhAttributes(gid, sgidIndex, 0, 0, 1);
        final AddressHandle made = objects.resources().opened(objects.pd().createAh(attributes));
        handles[which] = made;
        return made;
    }

    /** Address handles come and go; those in use stay. */
    private void renewHandle(final SimHost peer) {
        for (final DatagramEnd end : ends) {
            if (!end.isIdle()) {
                return;
            }
        }
        final int which = random.nextInt(handles.length);
        final AddressHandle old = handles[which];
        if (old != null && random.nextInt(NEW_HANDLE_ONE_IN) == 0) {
            handles[which] = null;
            objects.resources().closeNow(old);
            handle(which, peer);
        }
    }

    /** The applications part: nothing is sent any more, and what is posted comes back. */
    void end() {
        isEnding = true;
        for (final DatagramEnd end : ends) {
            end.end();
        }
    }

    /** True when nothing is left to do. */
    boolean isFinished(final boolean isPeerDead) {
        return unfinished(isPeerDead).isEmpty();
    }

    /** What is left to do, in words; empty for nothing. */
    String unfinished(final boolean isPeerDead) {
        for (final DatagramEnd end : ends) {
            if (!end.isSettled()) {
                return end.unsettled();
            }
        }
        if (isEnding) {
            return "";
        }
        if (left > 0) {
            return side.label() + ": " + left + " datagrams are not posted";
        }
        // Nobody finds out that a path carries management alone: datagrams are not acknowledged.
        final boolean mustArrive = !isPeerDead && !scenario.has(Effect.DATAGRAMS_MAY_NEVER_ARRIVE);
        for (int from = 0; from < ends.length && mustArrive; from++) {
            for (int to = 0; to < peers; to++) {
                if (!book.isProven(side, from, to)) {
                    return side.label() + " datagrams " + from + " to " + to + ": none got through";
                }
            }
        }
        return "";
    }

    /** How many were posted, and not seen to arrive. */
    int lost() {
        int lost = 0;
        for (int from = 0; from < ends.length; from++) {
            for (int to = 0; to < peers; to++) {
                lost += ends[from].nextNumber(to) - book.arrived(side, from, to);
            }
        }
        return lost;
    }
}
