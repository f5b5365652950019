package io.vhca.physical.soft.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Gid;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.physical.soft.cm.message.CmMessage;
import io.vhca.physical.soft.cm.message.CmMessages;
import io.vhca.physical.soft.cm.message.CmRoute;
import io.vhca.physical.soft.cm.message.CommIds;
import io.vhca.physical.soft.cm.message.ConnInput;
import io.vhca.physical.soft.cm.message.ReqDescriptor;
import io.vhca.physical.soft.cm.message.RejDescriptor;
import io.vhca.physical.soft.cm.message.RejectReason;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * What hosts that nobody knows can do to a connection manager: a bounded number of half open connections, one answer to
 * each of their messages, and nothing to connections and requests of peers that have answered before.
 */
class StrangerTest {
    private static final Gid PEER = StrangerWorld.PEER;
    private static final CmLimits LIMITS = StrangerWorld.LIMITS;
    private static final long MS = StrangerWorld.MS;

    private static Gid stranger(final int number) {
        return StrangerWorld.stranger(number);
    }

    // Answers.

    @Test
    void whoNeverAnswersGetsOneMessageForEachOfItsOwn() {
        final StrangerWorld world = new StrangerWorld(0);
        world.onRequest = StrangerWorld::accept;
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
        final StrangerWorld world = new StrangerWorld(0);
        world.onRequest = StrangerWorld::accept;
        for (final int commId : new int[] {1, 2}) {
            final byte[] request = StrangerWorld.req(commId, commId);
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

    /** An MRA names hours, and comes again and again. */
    @Test
    void whoAsksForMoreTimeIsWaitedForAMinuteAndNotLonger() {
        final StrangerWorld world = new StrangerWorld(0);
        world.onRequest = StrangerWorld::accept;
        world.request(stranger(1), 1, 1);
        final CmMessage rep = world.last(stranger(1));
        for (int i = 0; i < 7; i++) {
            assertThat(world.count(CmEventType.UNREACHABLE)).isZero();
            world.deliver(stranger(1), CmMessages.mra(rep.answerIds(rep.remoteCommId()), false, 31));
            world.pass(10_000 * MS);
        }
        assertThat(world.count(CmEventType.UNREACHABLE)).isEqualTo(1);
        assertThat(world.manager.halfOpen()).isZero();
    }

    /** The minute begins with the answer: a request may have waited longer for its listener. */
    @Test
    void whoWasAcceptedLateMayAskForTimeToo() {
        final StrangerWorld world = new StrangerWorld(0);
        world.request(stranger(1), 1, 1);
        world.pass(100_000 * MS);
        StrangerWorld.accept(world.events.getLast().id());
        final CmMessage rep = world.last(stranger(1));
        world.deliver(stranger(1), CmMessages.mra(rep.answerIds(rep.remoteCommId()), false, 31));
        world.pass(60_000 * MS);
        world.rtu(stranger(1));
        assertThat(world.count(CmEventType.ESTABLISHED)).isEqualTo(1);
    }

    /** Who is asked may say that it needs hours: it is asked again after a minute. */
    @Test
    void whoIsAskedAndNeedsHoursIsAskedAgain() {
        final StrangerWorld world = new StrangerWorld(0);
        final CmId id = world.connect(PEER);
        final CmMessage request = world.last(PEER);
        world.deliver(PEER, CmMessages.mra(request.answerIds(77), true, 31));
        world.pass(60_000 * MS);
        assertThat(world.sentTo(PEER)).isEqualTo(1);
        world.pass(5_000 * MS);
        assertThat(world.sentTo(PEER)).isGreaterThan(1);
        assertThat(world.last(PEER).type()).isEqualTo(ConnInput.REQ);
        id.close();
    }

    /** As rdma_cm does: the REP by a timer until the RTU comes; but not to an address that may be another's. */
    @Test
    void whoShowsThatItHasTheReplyGetsItAgainUntilItsWordComes() {
        final StrangerWorld world = new StrangerWorld(0);
        world.onRequest = StrangerWorld::accept;
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
        final StrangerWorld world = new StrangerWorld(0);
        world.request(stranger(1), 1, 1);
        for (int i = 2; i <= 4; i++) {
            world.request(stranger(1), 1, 1);
            assertThat(world.last(stranger(1)).type()).isEqualTo(ConnInput.MRA);
        }
        StrangerWorld.accept(world.events.getLast().id());
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
        final StrangerWorld world = new StrangerWorld(0);
        world.onRequest = StrangerWorld::accept;
        world.request(stranger(1), 1, 1);
        world.events.getFirst().id().close();
        assertThat(world.sentTo(stranger(1))).isEqualTo(1);
        world.request(stranger(1), 1, 1);
        assertThat(world.sentTo(stranger(1))).isEqualTo(2);
        assertThat(world.last(stranger(1)).type()).isEqualTo(ConnInput.REJ);
    }

    @Test
    void aKnownPeerGetsTheReplyAgainWithoutAsking() {
        final StrangerWorld world = new StrangerWorld(0);
        world.establish(1, 1);
        world.onRequest = StrangerWorld::accept;
        final long before = world.sentTo(PEER);
        world.request(PEER, 2, 2);
        world.pass(20_000 * MS);
        // The REP, so often, and the REJ that ends it.
        assertThat(world.sentTo(PEER) - before).isEqualTo(CmConfig.DEFAULT.maxTries() + 1);
    }

    @Test
    void whoBelievesInAConnectionThatIsGoneIsTold() {
        final StrangerWorld world = new StrangerWorld(0);
        world.deliver(stranger(1), CmMessages.rtu(new CommIds(3, 4, 5)));
        assertThat(world.sentTo(stranger(1))).isEqualTo(1);
        assertThat(world.last(stranger(1)).type()).isEqualTo(ConnInput.REJ);
        assertThat(world.last(stranger(1)).remoteCommId()).isEqualTo(3);
    }

    /** A REQ was refused by nobody in particular, and then answered: the refusal comes again. */
    @Test
    void aRefusalThatNamesNoConnectionOfThePeerEndsNoneThatStands() {
        final StrangerWorld world = new StrangerWorld(0);
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
        final StrangerWorld world = new StrangerWorld(0);
        world.onRequest = StrangerWorld::accept;
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
        final CmRoute route = new CmRoute(PEER, 9, 50_000, HandDrivenHost.ADDRESS, StrangerWorld.PORT);
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
        final StrangerWorld world = new StrangerWorld(0);
        world.establish(1, 1);
        world.onRequest = StrangerWorld::accept;
        world.request(PEER, 2, 2);
        final long before = world.sentTo(PEER);
        for (int i = 0; i < 150; i++) {
            world.arrive(stranger(i), StrangerWorld.req(10 + i, i));
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
        final StrangerWorld world = new StrangerWorld(0);
        for (int i = 0; i < 20_000; i++) {
            world.arrive(stranger(i), StrangerWorld.req(i, i));
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
        final StrangerWorld world = new StrangerWorld(0);
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
        final StrangerWorld world = new StrangerWorld(0);
        world.onRequest = StrangerWorld::accept;
        for (int i = 0; i < 2000; i++) {
            world.request(stranger(i), i, i);
            world.nowNs += MS;
            assertThat(world.manager.openIds(world.context)).isLessThanOrEqualTo(LIMITS.ofStrangers() + 1);
        }
        assertThat(world.count(CmEventType.UNREACHABLE)).isPositive();
    }

    @Test
    void refusedRequestsAreForgottenFirst() {
        final StrangerWorld world = new StrangerWorld(0);
        world.onRequest = StrangerWorld::accept;
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
        final StrangerWorld world = new StrangerWorld(0);
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

    /** What waits for nothing but its own repeated request is in nobody's way. */
    @Test
    void whatWasAnsweredForGoodKeepsNoRequestOfAKnownPeerOut() {
        final StrangerWorld world = new StrangerWorld(0);
        world.establish(1, 1);
        world.onRequest = id -> {
            id.reject(new byte[0]);
            id.close();
        };
        for (int i = 0; i < LIMITS.ofKnownPeer(); i++) {
            world.request(PEER, 100 + i, 100 + i);
        }
        assertThat(world.manager.halfOpen()).isEqualTo(LIMITS.ofKnownPeer());
        final List<CmId> accepted = new ArrayList<>();
        world.onRequest = accepted::add;
        world.request(PEER, 99, 99);
        assertThat(accepted).hasSize(1);
        assertThat(world.count(CmCounter.HALF_OPEN_FULL)).isZero();
    }

    @Test
    void aKnownPeerTakesAStrangersPlaceInAFullBacklog() {
        final StrangerWorld world = new StrangerWorld(4);
        world.establish(1, 1);
        for (int i = 0; i < 10; i++) {
            world.ask(stranger(i), i, i);
        }
        assertThat(world.count(CmCounter.BACKLOG_FULL)).isEqualTo(6);
        world.ask(PEER, 2, 2);
        assertThat(world.count(CmCounter.BACKLOG_FULL)).isEqualTo(6);
        assertThat(world.count(CmCounter.HALF_OPEN_DROPPED)).isEqualTo(1);
        world.serve();
        assertThat(world.count(CmEventType.CONNECT_REQUEST)).isEqualTo(1 + 3 + 1);
        assertThat(Objects.requireNonNull(world.events.getLast().id().peerAddress()).getAddress())
                .isEqualTo(PEER.address());
        world.establish(3, 3);
    }

    /** As the kernel counts: many connections may wait for their accept behind a backlog of one. */
    @Test
    void aRequestThatTheApplicationTookLeavesTheBacklog() {
        final StrangerWorld world = new StrangerWorld(1);
        for (int i = 0; i < 3; i++) {
            world.request(stranger(i), i, i);
        }
        assertThat(world.count(CmEventType.CONNECT_REQUEST)).isEqualTo(3);
        world.ask(stranger(3), 3, 3);
        world.ask(stranger(4), 4, 4);
        assertThat(world.count(CmCounter.BACKLOG_FULL)).as("one is not taken").isEqualTo(1);
    }

    @Test
    void aWithdrawnRequestThatNobodyTookGivesUpItsPlaceInTheBacklog() {
        final StrangerWorld world = new StrangerWorld(1);
        world.ask(stranger(0), 1, 1);
        world.withdraw(stranger(0), 1);
        world.ask(stranger(1), 2, 2);
        world.serve();
        assertThat(world.count(CmEventType.CONNECT_REQUEST)).isEqualTo(2);
        assertThat(world.count(CmEventType.REJECTED)).isEqualTo(1);
    }

    @Test
    void aWithdrawnRequestGivesUpItsPlaceAndItsOwnerKeepsItsIdAndHearsIt() {
        final StrangerWorld world = new StrangerWorld(0);
        world.request(stranger(0), 1, 1);
        final CmId held = world.events.getFirst().id();
        world.withdraw(stranger(0), 1);
        for (int i = 1; i <= LIMITS.ofStrangers(); i++) {
            world.arrive(stranger(i), StrangerWorld.req(i, i));
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
        final StrangerWorld world = new StrangerWorld(1);
        world.ask(stranger(0), 1, 1);
        world.ask(stranger(0), 1, 1);
        final CmMessage mra = world.last(stranger(0));
        assertThat(mra.type()).isEqualTo(ConnInput.MRA);
        world.arrive(stranger(0), CmMessages.dreq(mra.answerIds(mra.remoteCommId()), StrangerWorld.OWN_QP));
        world.manager.doWork(world.nowNs);
        world.ask(stranger(1), 2, 2);
        world.serve();
        assertThat(world.count(CmEventType.DISCONNECTED)).isEqualTo(1);
        assertThat(world.count(CmEventType.CONNECT_REQUEST)).isEqualTo(2);
    }

    /** As long as its connection is remembered, and later, when it is not any more. */
    @Test
    void aRejectionOfAWithdrawnRequestTellsNobody() {
        for (final long afterNs : new long[] {0, 60_000 * MS}) {
            final StrangerWorld world = new StrangerWorld(0);
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
        final StrangerWorld world = new StrangerWorld(0);
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
        final StrangerWorld world = new StrangerWorld(1);
        world.establish(1, 1);
        world.request(stranger(0), 1, 1);
        world.withdraw(stranger(0), 1);
        world.arrive(stranger(1), StrangerWorld.req(2, 2));
        world.arrive(PEER, StrangerWorld.req(3, 3));
        world.arrive(PEER, StrangerWorld.req(4, 4));
        world.manager.doWork(world.nowNs);
        assertThat(world.count(CmCounter.BACKLOG_FULL)).as("the backlog is one").isEqualTo(1);
        world.serve();
        assertThat(world.count(CmEventType.CONNECT_REQUEST)).isEqualTo(3);
    }

    @Test
    void aFirstHandshakeGetsThroughAFlood() {
        final StrangerWorld world = new StrangerWorld(0);
        world.onRequest = StrangerWorld::accept;
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
        final StrangerWorld world = new StrangerWorld(0);
        world.establish(1, 1);
        for (int i = 0; i < MadInbox.CAPACITY; i++) {
            world.arrive(stranger(i), StrangerWorld.req(i, i));
        }
        assertThat(world.count(CmCounter.INBOX_FULL)).isEqualTo(MadInbox.RESERVE);
        world.arrive(PEER, StrangerWorld.req(2, 2));
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
        final StrangerWorld world = new StrangerWorld(0);
        final CmId established = world.establish(1, 77);
        world.onRequest = id -> {
            id.reject(new byte[0]);
            id.close();
        };
        world.request(PEER, 2, 77);
        assertThat(world.count(CmEventType.CONNECT_REQUEST)).isEqualTo(2);
        assertThat(world.count(CmEventType.DISCONNECTED)).isZero();

        // Accepted, but whoever asked does not hear it.
        world.onRequest = StrangerWorld::accept;
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
