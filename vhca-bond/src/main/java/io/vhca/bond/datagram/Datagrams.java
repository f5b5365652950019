package io.vhca.bond.datagram;

import io.vhca.api.Errno;
import io.vhca.api.QueuePair;
import io.vhca.api.VerbsException;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.DutyCycle;
import io.vhca.bond.failover.SilenceMonitor;
import io.vhca.bond.link.ConnectTurns;
import io.vhca.bond.link.Links;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.link.DatagramPeers;
import io.vhca.bond.link.RecoveryPort;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.MemberObserver;
import io.vhca.bond.member.Members;
import io.vhca.bond.placement.LinkMonitor;
import io.vhca.bond.placement.Placement;
import io.vhca.bond.verbs.AddressHandles;
import io.vhca.bond.verbs.AttentionQueue;
import io.vhca.bond.verbs.CompletionTranslator;
import io.vhca.bond.verbs.QpTable;
import io.vhca.bond.wire.QpNumDescriptor;
import io.vhca.recovery.wire.DatagramRecord;
import io.vhca.recovery.wire.FailureReason;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The vQPs for datagrams of a bond. Written with the control lock held; read from inside CQs' gates and,
 * handles, from posts.
 */
public final class Datagrams implements DutyCycle, MemberObserver, SilenceMonitor.Watched {
    /** Where the index of a connected vQP stands in a wr_id, that of one for datagrams is larger than any. */
    static final int FIRST_INDEX = QpNumDescriptor.MAX_QP;

    private static final int FIRST_SIZE = 4;
    /** Senders that all vQPs together know beyond those that each may: anybody can name as many as he likes. */
    private static final int SHARED_ROOM = 65_536;

    private final Scope scope;
    private final BondCore core;
    private final Members members;
    private final DatagramPeers peers;
    private final QpTable table;
    private final AddressHandles handles;
    private final DatagramNumbers numbers = new DatagramNumbers();
    private final CompletionTranslator completions = new DatagramCompletions(this);
    private final AttentionQueue<BondDatagramQp> attention;
    /** By what they are for: none waits for those of another kind. */
    private final Map<Turn, ConnectTurns> turns = new EnumMap<>(Turn.class);
    private volatile @Nullable BondDatagramQp[] qps = new BondDatagramQp[FIRST_SIZE];
    private int count;
    private int room = SHARED_ROOM;
    private boolean hasLooked;
    private long lookedNs;

    /** What a question is for that waits for its turn. */
    enum Turn {
        /** The own vQP has moved: datagrams may wait for the answer. */
        MOVED,
        /** What is known stays true. */
        REFRESH,
        /** Who sends here is told where that is now. */
        TELLING
    }

    /** What vQPs for datagrams are made of; each takes from it what it needs when it is created. */
    public record Scope(
            BondCore core,
            Members members,
            Links links,
            DatagramPeers peers,
            RecoveryPort port,
            QpTable qps,
            AddressHandles handles,
            LinkMonitor monitor,
            Placement placement) {}

    public Datagrams(final Scope scope) {
        this.scope = scope;
        core = scope.core();
        attention = new AttentionQueue<>(core);
        members = scope.members();
        peers = scope.peers();
        table = scope.qps();
        handles = scope.handles();
        for (final Turn turn : Turn.values()) {
            turns.put(turn, new ConnectTurns());
        }
        handles.onRemove(ah -> all().forEach(qp -> qp.routes().forget(ah)));
    }

    Scope scope() {
        return scope;
    }

    /**
     * Creates the physical queue pair of a vQP on a member. Where that has no room, what stands by there gives way.
     *
     * @param destroy takes those that have numbers of others
     * @throws VerbsException as the device says
     */
    QueuePair create(final BondDatagramQp qp, final Member on, final Consumer<QueuePair> destroy) {
        try {
            return numbers.create(on.address(), qp.qpNum(), () -> qp.createOn(on), destroy);
        } catch (final VerbsException e) {
            if (e.errno() != Errno.ENOMEM || !members.makeRoom(on)) {
                throw e;
            }
            final QueuePair made = numbers.create(on.address(), qp.qpNum(), () -> qp.createOn(on), destroy);
            members.roomHelped(on);
            return made;
        }
    }

    void add(final BondDatagramQp qp) {
        final @Nullable BondDatagramQp[] old = qps;
        final int index = qp.index();
        final @Nullable BondDatagramQp[] grown =
                index < old.length ? old : Arrays.copyOf(old, Integer.highestOneBit(index) * 2);
        grown[index] = qp;
        qps = grown;
        count++;
        table.take(index);
        core.wakeUp();
    }

    void remove(final BondDatagramQp qp) {
        final @Nullable BondDatagramQp[] known = qps;
        known[qp.index()] = null;
        qps = known;
        count--;
        table.free(qp.index());
    }

    /** One behind the highest index that one of them may have. */
    public int indexes() {
        return qps.length;
    }

    /** The one of an index, or null. */
    public @Nullable BondDatagramQp at(final int index) {
        final @Nullable BondDatagramQp[] known = qps;
        return index >= 0 && index < known.length ? known[index] : null;
    }

    /** The one of a number, or null: wrong slot, or no such one. */
    public @Nullable BondDatagramQp byNum(final int qpNum) {
        final BondDatagramQp qp = at(QpNumDescriptor.index(qpNum));
        return qp != null && qp.qpNum() == qpNum ? qp : null;
    }

    private List<BondDatagramQp> all() {
        final List<BondDatagramQp> known = new ArrayList<>(count);
        for (final BondDatagramQp qp : qps) {
            if (qp != null) {
                known.add(qp);
            }
        }
        return known;
    }

    /** Takes room for a sender to one of them, beyond those that each may know; false where there is none left. */
    boolean takeRoom() {
        final boolean isLeft = room > 0;
        room -= isLeft ? 1 : 0;
        return isLeft;
    }

    void giveRoom(final int senders) {
        room += senders;
    }

    /** Knows what completions of datagrams mean. */
    public CompletionTranslator completions() {
        return completions;
    }

    /** Those of which the data path has noted something. */
    AttentionQueue<BondDatagramQp> attention() {
        return attention;
    }

    /** Looks for sends that hardware does not complete; see {@link SilenceMonitor}. */
    @Override
    public void onLook(final long watchedNs) {
        all().forEach(qp -> qp.home().watch(watchedNs));
    }

    @Override
    public int doWork(final long nowNs) {
        int work = 0;
        for (BondDatagramQp qp = attention.poll(); qp != null; qp = attention.poll()) {
            qp.onAttention(nowNs);
            work++;
        }
        if (count > 0 && (!hasLooked || nowNs - nextLookNs() >= 0)) {
            hasLooked = true;
            lookedNs = nowNs;
            all().forEach(qp -> qp.look(nowNs));
        }
        for (final ConnectTurns of : turns.values()) {
            work += of.doWork(nowNs);
        }
        return work;
    }

    /**
     * Asks another bond, now or in its turn: of all that is used, at each heartbeat or move, each answer would come
     * later than anybody waits for it.
     *
     * @param turn      what it is for
     * @param asks      begins to ask, where that is wanted still
     * @param isAwaited whether it has begun, and the answer may come at any moment
     */
    void inTurn(final Turn turn, final Runnable asks, final BooleanSupplier isAwaited) {
        final ConnectTurns own = Objects.requireNonNull(turns.get(turn));
        own.add(() -> {
            asks.run();
            if (isAwaited.getAsBoolean()) {
                own.began(isAwaited);
            }
        });
    }

    /** When {@link #doWork} has something to do; {@link Long#MAX_VALUE} for never. */
    @Override
    public long nextDeadlineNs() {
        if (!attention.isEmpty()) {
            return core.nowNs();
        }
        return count == 0 ? Long.MAX_VALUE : hasLooked ? nextLookNs() : core.nowNs();
    }

    /** By what {@code miimon} is now, also where it was another at the last look. */
    private long nextLookNs() {
        return lookedNs + core.config().miimonNs();
    }

    /** True while one of them lives on the member. */
    @Override
    public boolean livesOn(final Member member) {
        return all().stream().anyMatch(qp -> qp.home().member() == member);
    }

    @Override
    public void onDown(final Member member, final FailureReason reason, final long nowNs) {
        all().forEach(qp -> qp.home().onMemberDown(member));
        handles.all().forEach(ah -> ah.drop(member));
    }

    /** Another place in its table is the member's GID: whatever named the one before is made anew. */
    @Override
    public void onGidMoved(final Member member) {
        final List<BondDatagramQp> there =
                all().stream().filter(qp -> qp.home().member() == member).toList();
        there.forEach(qp -> qp.home().pause());
        handles.all().forEach(ah -> ah.drop(member));
        there.forEach(qp -> qp.home().resume(member));
    }

    @Override
    public void onUp(final Member member, final long nowNs) {
        all().forEach(qp -> qp.home().onMemberUp());
    }

    /** A physical queue pair moved to ERR by itself; it may be of one of these. */
    public void onPhysicalQpError(final @Nullable QueuePair physical) {
        for (final BondDatagramQp qp : all()) {
            if (physical != null && qp.home().physical() == physical) {
                qp.home().onFailure();
            }
        }
    }

    /**
     * Begins to ask another bond where a vQP of its lives.
     *
     * @throws VerbsException as the member says
     */
    PathLink ask(
            final PathLink.Question question, final Member from, final InetAddress to, final int qpNum,
            final byte[] request) {
        return scope.links()
                .connect(question, from, new InetSocketAddress(to, scope.port().of(qpNum)), request);
    }

    /** Another bond asks where a vQP lives. */
    public void onAsked(final PathLink link, final DatagramRecord record, final long nowNs) {
        final BondDatagramQp qp = at(QpNumDescriptor.index(record.targetQpNum()));
        if (record.mayLeaveOut()) {
            peers.heardSome(record.instance(), record.members());
        } else {
            peers.heard(record.instance(), record.members());
        }
        if (qp == null || qp.qpNum() != record.targetQpNum()) {
            link.reject(new DatagramRecord(
                            core.datagramInstance(), null, record.targetQpNum(), 0, 0, 0,
                            members.addresses(Member::isAlive))
                    .encodeAnswer());
            return;
        }
        qp.routes().onAsked(record, link, nowNs);
        link.reject(qp.routes().record(0, 0).encodeAnswer());
    }
}
