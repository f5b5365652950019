package io.vhca.bond.link;

import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.core.DutyCycle;
import io.vhca.bond.core.EarliestDeadline;
import io.vhca.bond.member.Member;
import io.vhca.recovery.proof.Seal;
import io.vhca.recovery.wire.Agreement;
import io.vhca.recovery.wire.TrailingHeader;
import java.net.InetSocketAddress;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Makes the physical connections of a bond, finds them by their CM ids and ends those that take too long. Control lock.
 */
public final class Links implements DutyCycle, AutoCloseable {
    /** Of more links than this that await something, not each turn looks whether they have waited too long. */
    private static final int FEW = 64;
    /** Much less than any may wait. */
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private final BondCore core;
    private final Map<CmId, PathLink> byId = new IdentityHashMap<>();
    /** Those over a connection that stands, until they take it. */
    private final Set<PathLink> guests = new LinkedHashSet<>();
    /** Those that await something from the network. */
    private final Set<PathLink> pending = new LinkedHashSet<>();

    private long nextLookNs;

    private MemberListeners.@Nullable Target target;

    public Links(final BondCore core) {
        this.core = core;
    }

    /**
     * Begins to connect to another bond, in the name of a queue pair or with nothing but a question.
     *
     * @param request the private data of the REQ
     * @throws VerbsException as the member says; nothing is left of the link then
     */
    public PathLink connect(
            final PathLink.Owner owner,
            final Member member,
            final InetSocketAddress destination,
            final byte[] request) {
        return connect(owner, member, destination, new Seal.Question(written(request), null));
    }

    /**
     * Begins to connect with a REQ that opens a connection, signed where the bond has a key.
     *
     * @param plain as without a key
     * @param isOlder whether the peer has refused the newest key
     */
    public PathLink open(
            final PathLink.Owner owner, final Member member, final InetSocketAddress destination, final byte[] plain,
            final boolean isOlder) {
        return connect(
                owner, member, destination,
                core.proofs().first(written(plain), member.address(), destination, isOlder));
    }

    /** The same where the peer may have no bond: the application's data is before the bond's header. */
    public PathLink openBehind(
            final PathLink.Owner owner, final Member member, final InetSocketAddress destination, final byte[] plain,
            final boolean isOlder) {
        final Seal.Question signed =
                core.proofs().first(written(plain), member.address(), destination, isOlder);
        return connect(
                owner, member, destination, new Seal.Question(TrailingHeader.turn(signed.data()), signed.seal()));
    }

    /** The same with a REQ of a session. */
    public PathLink recover(
            final PathLink.Owner owner, final Member member, final InetSocketAddress destination, final byte[] plain,
            final boolean isOlder) {
        return connect(
                owner, member, destination,
                core.proofs().ofSession(written(plain), member.address(), destination.getAddress(), isOlder));
    }

    /**
     * The same over a connection that stands and is idle.
     *
     * @param plain as without a key
     */
    public StandbyLink askOver(
            final PathLink.Owner owner, final PathLink standing, final LinkCarrier carrier, final byte[] plain,
            final boolean isOlder) {
        assert core.holdsLock();
        final Seal.Question question =
                core.proofs().ofSession(written(plain), standing.member().address(), standing.remote(), isOlder);
        final StandbyLink link = new StandbyLink(core, this, owner, standing, carrier, question.data());
        link.seal(question.seal());
        return link.ask(question.data());
    }

    /** What the peer asked so; nobody has judged it yet. */
    public StandbyLink askedOver(final PathLink standing, final LinkCarrier carrier) {
        assert core.holdsLock();
        return new StandbyLink(core, this, DiscardingOwner.INSTANCE, standing, carrier, new byte[0]);
    }

    private PathLink connect(
            final PathLink.Owner owner, final Member member, final InetSocketAddress destination,
            final Seal.Question question) {
        assert core.holdsLock();
        final PathLink link =
                new PathLink(core, this, owner, member, CmPortSpace.TCP, destination, question.data()).start();
        link.seal(question.seal());
        return link;
    }

    /** Whether any awaits something from the network. */
    public boolean isAnyPending() {
        assert core.holdsLock();
        return pending.stream().anyMatch(PathLink::isPending);
    }

    /** A record as this bond writes it. */
    private byte[] written(final byte[] record) {
        return Agreement.write(record, core.wireVersion());
    }

    /** The same for RDMA_PS_UDP, which asks for a service of datagrams and makes no connection. */
    public PathLink resolveService(
            final PathLink.Owner owner,
            final Member member,
            final InetSocketAddress destination,
            final byte[] request) {
        assert core.holdsLock();
        return new PathLink(core, this, owner, member, CmPortSpace.UDP, destination, written(request)).start();
    }

    /** A REQ has arrived on a member; nobody has judged it yet. */
    public PathLink requested(final Member member, final CmId requestId) {
        assert core.holdsLock();
        return new PathLink(core, this, DiscardingOwner.INSTANCE, member, requestId);
    }

    /** Who judges the REQs of peers at the bond's own port, and what they ask over connections that stand by. */
    public void target(final MemberListeners.Target judge) {
        target = judge;
    }

    MemberListeners.Target target() {
        return Objects.requireNonNull(target);
    }

    /** The link of a CM id, or null. */
    public @Nullable PathLink find(final CmId id) {
        assert core.holdsLock();
        return byId.get(id);
    }

    /** Those of a member; links may come and go while the caller looks at them. */
    public List<PathLink> on(final Member member) {
        assert core.holdsLock();
        return Stream.concat(byId.values().stream(), guests.stream())
                .filter(link -> link.member() == member)
                .toList();
    }

    /** The member's device is dead: nothing is left on it. See {@link PathLink#bury}. */
    public void bury(final Member member, final long nowNs) {
        on(member).forEach(link -> link.bury(nowNs));
    }

    void add(final CmId id, final PathLink link) {
        assert core.holdsLock();
        byId.put(id, link);
    }

    void remove(final CmId id) {
        assert core.holdsLock();
        byId.remove(id);
    }

    void addGuest(final PathLink link) {
        assert core.holdsLock();
        guests.add(link);
    }

    void removeGuest(final PathLink link) {
        assert core.holdsLock();
        guests.remove(link);
    }

    /** A connection that stood by is closed, for its room. */
    void gaveUp(final PathLink standing) {
        assert core.holdsLock();
        core.counters().add(Counter.STANDBY_GIVEN_UP, 1);
        standing.close();
    }

    /** A guest takes the connection that it was over. */
    void pass(final CmId id, final PathLink guest) {
        assert core.holdsLock();
        removeGuest(guest);
        byId.put(id, guest);
    }

    /** A link awaits something from the network. */
    void watch(final PathLink link) {
        assert core.holdsLock();
        pending.add(link);
    }

    @Override
    public int doWork(final long nowNs) {
        assert core.holdsLock();
        int count = 0;
        final boolean isTime = pending.size() <= FEW || nowNs - nextLookNs >= 0;
        if (isTime) {
            nextLookNs = nowNs + LOOK_NS;
        }
        if (!pending.isEmpty() && isTime) {
            for (final PathLink link : List.copyOf(pending)) {
                count += link.checkDeadline(nowNs) ? 1 : 0;
            }
            pending.removeIf(link -> !link.isPending());
        }
        return count;
    }

    @Override
    public long nextDeadlineNs() {
        assert core.holdsLock();
        final EarliestDeadline next = new EarliestDeadline();
        for (final PathLink link : pending) {
            next.add(link.isPending() ? link.deadlineNs() : Long.MAX_VALUE);
        }
        return pending.size() <= FEW ? next.atNs() : next.notBefore(nextLookNs).atNs();
    }

    @Override
    public void close() {
        assert core.holdsLock();
        List.copyOf(guests).forEach(PathLink::close);
        List.copyOf(byId.values()).forEach(PathLink::close);
    }
}
