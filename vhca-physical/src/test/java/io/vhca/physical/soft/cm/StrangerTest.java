package io.vhca.physical.soft.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Context;
import io.vhca.api.Gid;
import io.vhca.api.Mtu;
import io.vhca.api.ServiceClass;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.physical.soft.cm.message.CmMessage;
import io.vhca.physical.soft.cm.message.CmMessages;
import io.vhca.physical.soft.cm.message.CmRoute;
import io.vhca.physical.soft.cm.message.CommIds;
import io.vhca.physical.soft.cm.message.ConnInput;
import io.vhca.physical.soft.cm.message.MadDescriptor;
import io.vhca.physical.soft.cm.message.ReqDescriptor;
import io.vhca.physical.soft.cm.message.QpEnd;
import io.vhca.physical.soft.cm.message.RejDescriptor;
import io.vhca.physical.soft.cm.message.RejectReason;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * What hosts that nobody knows can do to a connection manager: a bounded number of half open connections, one answer to
 * each of their messages, and nothing to connections and requests of peers that have answered before.
 */
class StrangerTest {
    private static final Gid PEER = Gid.of(InetAddress.ofLiteral("10.0.0.2"));
    private static final int PORT = 7471;
    private static final int OWN_QP = 0x55;
    private static final CmLimits LIMITS = CmLimits.DEFAULT;
    private static final long MS = 1_000_000L;

    private static Gid stranger(final int number) {
        return new Gid(0, 0xffff_0000_0000L | 0x0b00_0000L + number);
    }

    /** The messages that went to an address. */
    private record Sent(Gid to, CmMessage message) {}

    /** A manager with a listener, between a network and an application that a test plays both. */
    private static final class World extends HandDrivenHost {
        final List<Sent> sent = new ArrayList<>();
        final List<CmEvent> events = new ArrayList<>();
        final CommunicationManager manager =
                new CommunicationManager(this, CmConfig.DEFAULT, new SplittableRandom(20_261_122L));
        final Context context = (Context) Proxy.newProxyInstance(
                Context.class.getClassLoader(), new Class<?>[] {Context.class}, (self, method, args) -> null);
        final CmEventChannel channel = manager.createChannel(context);
        /** What the application does about a request. */
        Consumer<CmId> onRequest = id -> {};

        World(final int backlog) {
            final CmId listener = channel.createId(CmPortSpace.TCP, null);
            listener.bindAddr(new InetSocketAddress(HandDrivenHost.ADDRESS.address(), PORT));
            listener.listen(backlog);
        }

        private void deliver(final Gid source, final byte[] mad) {
            arrive(source, mad);
            manager.doWork(nowNs);
            serve();
        }

        void arrive(final Gid source, final byte[] mad) {
            try (Arena arena = Arena.ofConfined()) {
                final MemorySegment memory = arena.allocate(MadDescriptor.SIZE);
                MemorySegment.copy(mad, 0, memory, ValueLayout.JAVA_BYTE, 0, mad.length);
                manager.onMad(source.subnetPrefix(), source.interfaceId(), 1, memory.address());
            }
        }

        private void serve() {
            for (CmEvent event = channel.getEvent(0); event != null; event = channel.getEvent(0)) {
                events.add(event);
                switch (event.type()) {
                    case CONNECT_REQUEST -> onRequest.accept(event.id());
                    case REJECTED, UNREACHABLE -> event.id().close();
                    default -> {
                        // The test looks at it.
                    }
                }
            }
        }

        static byte[] req(final int commId, final int qpNum) {
            return CmMessages.req(
                    new CommIds(commId, 0, commId),
                    new CmRoute(PEER, 9, 50_000, HandDrivenHost.ADDRESS, PORT),
                    new QpEnd(qpNum, 0),
                    Mtu.MTU_1024,
                    14,
                    ServiceClass.NONE,
                    ConnectParameters.of(new byte[] {1}));
        }

        void request(final Gid source, final int commId, final int qpNum) {
            deliver(source, req(commId, qpNum));
        }

        /** The RTU to the last REP that went there. */
        void rtu(final Gid source) {
            final CmMessage rep = last(source);
            assertThat(rep.type()).isEqualTo(ConnInput.REP);
            deliver(source, CmMessages.rtu(rep.answerIds(rep.remoteCommId())));
        }

        /** The peer gives up a request; the application does not look. */
        void withdraw(final Gid source, final int commId) {
            arrive(source, CmMessages.rejTimeout(new CommIds(commId, 0, commId), false, 9));
            manager.doWork(nowNs);
        }

        CmMessage last(final Gid to) {
            return sent.stream().filter(one -> one.to.equals(to)).toList().getLast().message;
        }

        long sentTo(final Gid to) {
            return sent.stream().filter(one -> one.to.equals(to)).count();
        }

        long count(final CmEventType type) {
            return events.stream().filter(event -> event.type() == type).count();
        }

        long count(final CmCounter counter) {
            return manager.counters().get(counter);
        }

        void pass(final long forNs) {
            final long end = nowNs + forNs;
            while (nowNs - end < 0) {
                nowNs = Math.min(end, Math.max(nowNs + 1, manager.nextDeadlineNs()));
                manager.doWork(nowNs);
                serve();
            }
        }

        /** A connection of the known peer. */
        CmId establish(final int commId, final int qpNum) {
            final Consumer<CmId> before = onRequest;
            final List<CmId> ids = new ArrayList<>();
            onRequest = id -> {
                ids.add(id);
                accept(id);
            };
            request(PEER, commId, qpNum);
            rtu(PEER);
            assertThat(events.getLast().type()).isEqualTo(CmEventType.ESTABLISHED);
            onRequest = before;
            return ids.getFirst();
        }

        static void accept(final CmId id) {
            id.accept(new ConnectParameters(new byte[0], 0, 0, 0, 0, OWN_QP, 0));
        }

        @Override
        public void sendMad(final Gid destination, final byte[] mad) {
            sent.add(new Sent(destination, Objects.requireNonNull(CmMessage.read(mad))));
        }
    }

    // Answers.

    @Test
    void whoNeverAnswersGetsOneMessageForEachOfItsOwn() {
        final World world = new World(0);
        world.onRequest = World::accept;
        world.request(stranger(1), 1, 1);
        world.pass(20_000 * MS);
        assertThat(world.sentTo(stranger(1))).isEqualTo(1);
        assertThat(world.count(CmCounter.UNPROVEN_MUTED)).isPositive();
        assertThat(world.count(CmEventType.UNREACHABLE)).isEqualTo(1);
        assertThat(world.manager.halfOpen()).isZero();
    }

    /** The kernel's manager says 4.3 s a try and 15 tries more; its RTU waits for an application. */
    @Test
    void whoSaysThatItIsSlowMayAnswerLate() {
        final World world = new World(0);
        world.onRequest = World::accept;
        for (final int commId : new int[] {1, 2}) {
            final byte[] request = World.req(commId, commId);
            final ByteBuffer fields = ByteBuffer.wrap(request);
            fields.putInt(ReqDescriptor.PSN_OFFSET, fields.getInt(ReqDescriptor.PSN_OFFSET) & ~(31 << 3) | 20 << 3);
            world.deliver(stranger(commId), request);
        }
        world.pass(60_000 * MS);
        assertThat(world.count(CmEventType.UNREACHABLE)).isZero();
        world.rtu(stranger(1));
        assertThat(world.count(CmEventType.ESTABLISHED)).isEqualTo(1);
        assertThat(world.sentTo(stranger(2))).isEqualTo(1);
        world.pass(5_000 * MS);
        assertThat(world.count(CmEventType.UNREACHABLE)).isEqualTo(1);
    }

    /** As rdma_cm does: the REP by a timer until the RTU comes; but not to an address that may be another's. */
    @Test
    void whoShowsThatItHasTheReplyGetsItAgainUntilItsWordComes() {
        final World world = new World(0);
        world.onRequest = World::accept;
        world.request(stranger(1), 1, 1);
        final CmMessage rep = world.last(stranger(1));
        final CommIds guessed = new CommIds(1, rep.localCommId() + 1, 1);
        world.deliver(stranger(1), CmMessages.mra(guessed, false, 10));
        world.pass(100 * MS);
        assertThat(world.sentTo(stranger(1))).as("an id that is guessed shows nothing").isEqualTo(1);
        world.deliver(stranger(1), CmMessages.mra(rep.answerIds(rep.remoteCommId()), false, 10));
        world.pass(1_000 * MS);
        assertThat(world.sentTo(stranger(1))).isGreaterThan(2);
        assertThat(world.last(stranger(1)).type()).isEqualTo(ConnInput.REP);
        world.rtu(stranger(1));
        assertThat(world.count(CmEventType.ESTABLISHED)).isEqualTo(1);
    }

    @Test
    void aRepeatedRequestGetsItsAnswerAgain() {
        final World world = new World(0);
        world.request(stranger(1), 1, 1);
        for (int i = 2; i <= 4; i++) {
            world.request(stranger(1), 1, 1);
            assertThat(world.last(stranger(1)).type()).isEqualTo(ConnInput.MRA);
        }
        World.accept(world.events.getLast().id());
        assertThat(world.last(stranger(1)).type()).isEqualTo(ConnInput.REP);
        for (int i = 5; i <= 8; i++) {
            world.request(stranger(1), 1, 1);
            assertThat(world.last(stranger(1)).type()).isEqualTo(ConnInput.REP);
        }
        world.pass(20_000 * MS);
        assertThat(world.sentTo(stranger(1))).isEqualTo(8);
    }

    @Test
    void theOwnerThatGivesUpSaysSoOnlyToWhoAskedForIt() {
        final World world = new World(0);
        world.onRequest = World::accept;
        world.request(stranger(1), 1, 1);
        world.events.getFirst().id().close();
        assertThat(world.sentTo(stranger(1))).isEqualTo(1);
        world.request(stranger(1), 1, 1);
        assertThat(world.sentTo(stranger(1))).isEqualTo(2);
        assertThat(world.last(stranger(1)).type()).isEqualTo(ConnInput.REJ);
    }

    @Test
    void aKnownPeerGetsTheReplyAgainWithoutAsking() {
        final World world = new World(0);
        world.establish(1, 1);
        world.onRequest = World::accept;
        final long before = world.sentTo(PEER);
        world.request(PEER, 2, 2);
        world.pass(20_000 * MS);
        // The REP, so often, and the REJ that ends it.
        assertThat(world.sentTo(PEER) - before).isEqualTo(CmConfig.DEFAULT.maxTries() + 1);
    }

    @Test
    void whoBelievesInAConnectionThatIsGoneIsTold() {
        final World world = new World(0);
        world.deliver(stranger(1), CmMessages.rtu(new CommIds(3, 4, 5)));
        assertThat(world.sentTo(stranger(1))).isEqualTo(1);
        assertThat(world.last(stranger(1)).type()).isEqualTo(ConnInput.REJ);
        assertThat(world.last(stranger(1)).remoteCommId()).isEqualTo(3);
    }

    /** A REQ was refused by nobody in particular, and then answered: the refusal comes again. */
    @Test
    void aRefusalThatNamesNoConnectionOfThePeerEndsNoneThatStands() {
        final World world = new World(0);
        final CmId id = world.establish(1, 1);
        final int ownCommId = world.last(PEER).localCommId();
        world.deliver(PEER, CmMessages.rej(
                new CommIds(0, ownCommId, 5), RejDescriptor.MESSAGE_REQ, RejectReason.INVALID_SERVICE_ID,
                new byte[0]));
        assertThat(world.count(CmEventType.DISCONNECTED)).isZero();
        assertThat(world.count(CmCounter.NO_CONNECTION)).isEqualTo(1);
        world.deliver(PEER, CmMessages.rej(
                new CommIds(1, ownCommId, 5), RejDescriptor.MESSAGE_OTHER, RejectReason.CONSUMER_DEFINED,
                new byte[0]));
        assertThat(world.count(CmEventType.DISCONNECTED)).as("one of the peer's own").isEqualTo(1);
        id.close();
    }

    @Test
    void whatNobodyWaitsForIsCountedByWhatItLacks() {
        final World world = new World(0);
        world.onRequest = World::accept;
        world.request(PEER, 1, 1);
        final CommIds ids = world.last(PEER).answerIds(1);
        world.rtu(PEER);
        assertThat(world.count(CmCounter.NO_CONNECTION)).isZero();
        assertThat(world.count(CmCounter.OUT_OF_PLACE)).isZero();

        world.deliver(PEER, CmMessages.rtu(ids));
        assertThat(world.count(CmCounter.OUT_OF_PLACE)).as("an RTU that came before").isEqualTo(1);
        world.deliver(stranger(1), CmMessages.rtu(ids));
        assertThat(world.count(CmCounter.NO_CONNECTION)).as("another's connection").isEqualTo(1);
        world.deliver(PEER, CmMessages.mra(new CommIds(1, ids.remote() + 1, 5), false, 31));
        assertThat(world.count(CmCounter.NO_CONNECTION)).as("no such connection").isEqualTo(2);
        final CmRoute route = new CmRoute(PEER, 9, 50_000, HandDrivenHost.ADDRESS, PORT);
        world.deliver(PEER, CmMessages.sidrReq(new CommIds(9, 0, 5), route, new byte[0]));
        assertThat(world.count(CmCounter.NO_LISTENER)).isEqualTo(1);
        // The answer did not come: a deadline is no message.
        world.pass(20_000 * MS);
        assertThat(world.count(CmCounter.OUT_OF_PLACE)).isEqualTo(1);
    }

    // Bounds.

    /** They come as fast as they are handled: timers, and who waits for the lock, get their turn all the same. */
    @Test
    void aTurnHandlesSomeOfAFloodAndWhatIsDue() {
        final World world = new World(0);
        world.establish(1, 1);
        world.onRequest = World::accept;
        world.request(PEER, 2, 2);
        final long before = world.sentTo(PEER);
        for (int i = 0; i < 150; i++) {
            world.arrive(stranger(i), World.req(10 + i, i));
        }
        world.nowNs = Math.max(world.nowNs, world.manager.nextDeadlineNs());
        assertThat(world.manager.doWork(world.nowNs)).isLessThanOrEqualTo(CommunicationManager.MOST_A_TURN + 2);
        assertThat(world.sentTo(PEER)).as("the REP is due again").isGreaterThan(before);
        assertThat(world.manager.hasWork()).isTrue();
        int turns = 1;
        while (world.manager.hasWork()) {
            world.manager.doWork(world.nowNs);
            turns++;
        }
        assertThat(turns).isEqualTo(3);
    }

    @Test
    void halfOpenConnectionsAreBounded() {
        final World world = new World(0);
        for (int i = 0; i < 20_000; i++) {
            world.arrive(stranger(i), World.req(i, i));
            world.manager.doWork(world.nowNs);
            world.nowNs += i % 1000 == 0 ? MS : 1000;
            assertThat(world.manager.halfOpen()).isLessThanOrEqualTo(LIMITS.ofStrangers());
        }
        // The listener's, and those of requests that no event is waiting for any more are gone.
        assertThat(world.manager.openIds(world.context)).isEqualTo(LIMITS.ofStrangers() + 1);
        assertThat(world.count(CmCounter.HALF_OPEN_DROPPED)).isPositive();
        assertThat(world.count(CmCounter.HALF_OPEN_FULL)).isPositive();
        world.serve();
        assertThat(world.count(CmEventType.CONNECT_REQUEST)).isEqualTo(LIMITS.ofStrangers());
        assertThat(world.count(CmEventType.REJECTED)).isZero();
    }

    @Test
    void oneSourceGetsItsShareOnly() {
        final World world = new World(0);
        for (int i = 1; i < 1000; i++) {
            world.request(stranger(1), i, i);
            world.nowNs += MS;
        }
        assertThat(world.manager.halfOpen()).isEqualTo(LIMITS.ofStranger());
        world.request(stranger(2), 1, 1);
        assertThat(world.manager.halfOpen()).isEqualTo(LIMITS.ofStranger() + 1);
    }

    @Test
    void acceptedStrangersThatNeverAnswerGiveUpTheirPlace() {
        final World world = new World(0);
        world.onRequest = World::accept;
        for (int i = 0; i < 2000; i++) {
            world.request(stranger(i), i, i);
            world.nowNs += MS;
            assertThat(world.manager.openIds(world.context)).isLessThanOrEqualTo(LIMITS.ofStrangers() + 1);
        }
        assertThat(world.count(CmEventType.UNREACHABLE)).isPositive();
    }

    @Test
    void refusedRequestsAreForgottenFirst() {
        final World world = new World(0);
        world.onRequest = World::accept;
        world.request(stranger(0), 1, 1);
        world.onRequest = id -> {
            id.reject(new byte[0]);
            id.close();
        };
        for (int i = 1; i < 5000; i++) {
            world.request(stranger(i), i, i);
            assertThat(world.manager.halfOpen()).isLessThanOrEqualTo(LIMITS.ofStrangers());
        }
        world.nowNs += 100 * MS;
        world.request(stranger(5001), 1, 1);
        world.rtu(stranger(0));
        assertThat(world.count(CmEventType.ESTABLISHED)).isEqualTo(1);
    }

    @Test
    void aKnownPeerConnectsThoughStrangersFillTheirRoom() {
        final World world = new World(0);
        world.establish(1, 1);
        final List<CmId> accepted = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            world.request(stranger(i), i, i);
        }
        assertThat(world.count(CmCounter.HALF_OPEN_FULL)).isPositive();
        world.onRequest = accepted::add;
        for (int i = 0; i < LIMITS.ofKnownPeer(); i++) {
            world.request(PEER, 100 + i, 100 + i);
        }
        assertThat(accepted).hasSize(LIMITS.ofKnownPeer());
        world.request(PEER, 99, 99);
        assertThat(accepted).hasSize(LIMITS.ofKnownPeer());
    }

    @Test
    void aKnownPeerTakesAStrangersPlaceInAFullBacklog() {
        final World world = new World(4);
        world.establish(1, 1);
        for (int i = 0; i < 10; i++) {
            world.request(stranger(i), i, i);
        }
        assertThat(world.count(CmEventType.CONNECT_REQUEST)).isEqualTo(1 + 4);
        assertThat(world.count(CmCounter.BACKLOG_FULL)).isEqualTo(6);
        world.request(PEER, 2, 2);
        assertThat(world.count(CmEventType.CONNECT_REQUEST)).isEqualTo(1 + 4 + 1);
        assertThat(world.count(CmEventType.REJECTED)).isEqualTo(1);
        world.establish(3, 3);
    }

    @Test
    void aWithdrawnRequestGivesUpItsPlaceAndItsOwnerKeepsItsIdAndHearsIt() {
        final World world = new World(0);
        world.request(stranger(0), 1, 1);
        final CmId held = world.events.getFirst().id();
        world.withdraw(stranger(0), 1);
        for (int i = 1; i <= LIMITS.ofStrangers(); i++) {
            world.arrive(stranger(i), World.req(i, i));
            world.manager.doWork(world.nowNs);
        }
        assertThat(world.count(CmCounter.HALF_OPEN_DROPPED)).isEqualTo(1);
        held.ackTimeout(1);
        world.serve();
        assertThat(world.events.stream().filter(event -> event.type() == CmEventType.REJECTED))
                .extracting(CmEvent::id)
                .containsExactly(held);
    }

    /** One that is told that its request is there may end it like a connection. */
    @Test
    void aRequestThatIsEndedByADreqGivesUpItsPlaceInTheBacklog() {
        final World world = new World(1);
        world.request(stranger(0), 1, 1);
        world.request(stranger(0), 1, 1);
        final CmMessage mra = world.last(stranger(0));
        assertThat(mra.type()).isEqualTo(ConnInput.MRA);
        world.deliver(stranger(0), CmMessages.dreq(mra.answerIds(mra.remoteCommId()), OWN_QP));
        assertThat(world.count(CmEventType.DISCONNECTED)).isEqualTo(1);
        world.request(stranger(1), 2, 2);
        assertThat(world.count(CmEventType.CONNECT_REQUEST)).isEqualTo(2);
    }

    /** As long as its connection is remembered, and later, when it is not any more. */
    @Test
    void aRejectionOfAWithdrawnRequestTellsNobody() {
        for (final long afterNs : new long[] {0, 60_000 * MS}) {
            final World world = new World(0);
            world.establish(1, 1);
            world.request(PEER, 2, 2);
            final CmId held = world.events.getLast().id();
            world.withdraw(PEER, 2);
            world.manager.doWork(world.nowNs += afterNs);
            final long before = world.sentTo(PEER);
            held.reject(new byte[0]);
            assertThat(world.sentTo(PEER)).as("after %d ns", afterNs).isEqualTo(before);
            assertThat(world.manager.nextDeadlineNs() == Long.MAX_VALUE).isEqualTo(afterNs > 0);
            held.close();
        }
    }

    @Test
    void whoWasToldThatARequestIsWithdrawnIsNotToldAgain() {
        final World world = new World(0);
        world.request(stranger(0), 1, 1);
        world.withdraw(stranger(0), 1);
        final CmEvent told = Objects.requireNonNull(world.channel.getEvent(0));
        assertThat(told.type()).isEqualTo(CmEventType.REJECTED);
        for (int i = 1; i <= LIMITS.ofStrangers(); i++) {
            world.request(stranger(i), i, i);
        }
        assertThat(world.count(CmCounter.HALF_OPEN_DROPPED)).isEqualTo(1);
        assertThat(world.count(CmEventType.REJECTED)).isZero();
        told.id().close();
    }

    @Test
    void aWithdrawnRequestMakesNoRoomInABacklogThatItIsNotIn() {
        final World world = new World(1);
        world.establish(1, 1);
        world.request(stranger(0), 1, 1);
        world.withdraw(stranger(0), 1);
        world.arrive(stranger(1), World.req(2, 2));
        world.arrive(PEER, World.req(3, 3));
        world.arrive(PEER, World.req(4, 4));
        world.manager.doWork(world.nowNs);
        assertThat(world.count(CmCounter.BACKLOG_FULL)).as("the backlog is one").isEqualTo(1);
        world.serve();
        assertThat(world.count(CmEventType.CONNECT_REQUEST)).isEqualTo(3);
    }

    @Test
    void aFirstHandshakeGetsThroughAFlood() {
        final World world = new World(0);
        world.onRequest = World::accept;
        int next = 0;
        boolean isDone = false;
        for (int i = 0; i < CmConfig.DEFAULT.maxTries() && !isDone; i++) {
            for (int k = 0; k < 2_500; k++) {
                world.request(stranger(next++), 1, 1);
                world.nowNs += 20_000;
            }
            world.request(PEER, 1, 1);
            // Its RTU comes a millisecond later.
            for (int k = 0; k < 50; k++) {
                world.request(stranger(next++), 1, 1);
                world.nowNs += 20_000;
            }
            if (world.sentTo(PEER) > 0) {
                world.rtu(PEER);
                isDone = world.count(CmEventType.ESTABLISHED) > 0;
            }
        }
        assertThat(isDone).isTrue();
    }

    @Test
    void theInboxKeepsPlacesForPeersWithAConnection() {
        final World world = new World(0);
        world.establish(1, 1);
        for (int i = 0; i < MadInbox.CAPACITY; i++) {
            world.arrive(stranger(i), World.req(i, i));
        }
        assertThat(world.count(CmCounter.INBOX_FULL)).isEqualTo(MadInbox.RESERVE);
        world.arrive(PEER, World.req(2, 2));
        while (world.manager.hasWork()) {
            world.manager.doWork(world.nowNs);
        }
        world.serve();
        final InetSocketAddress from = Objects.requireNonNull(world.events.getLast().id().peerAddress());
        assertThat(from.getAddress()).isEqualTo(PEER.address());
    }

    // Leftovers.

    @Test
    void aRequestThatNamesAQueuePairOfThePeerTakesNothingFromIt() {
        final World world = new World(0);
        final CmId established = world.establish(1, 77);
        world.onRequest = id -> {
            id.reject(new byte[0]);
            id.close();
        };
        world.request(PEER, 2, 77);
        assertThat(world.count(CmEventType.CONNECT_REQUEST)).isEqualTo(2);
        assertThat(world.count(CmEventType.DISCONNECTED)).isZero();

        // Accepted, but whoever asked does not hear it.
        world.onRequest = World::accept;
        world.request(PEER, 3, 77);
        world.pass(20_000 * MS);
        assertThat(world.count(CmEventType.DISCONNECTED)).isZero();

        // A peer that started anew and was given the same number.
        world.request(PEER, 4, 77);
        assertThat(world.count(CmEventType.DISCONNECTED)).isZero();
        world.rtu(PEER);
        assertThat(world.events.stream().filter(event -> event.type() == CmEventType.DISCONNECTED))
                .extracting(CmEvent::id)
                .containsExactly(established);
        assertThat(world.count(CmEventType.ESTABLISHED)).isEqualTo(2);
    }
}
