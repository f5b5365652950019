package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.AccessFlags;
import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Errno;
import io.vhca.api.MemoryRegion;
import io.vhca.api.Mtu;
import io.vhca.api.PortState;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QpType;
import io.vhca.api.QueuePair;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.VerbsException;
import io.vhca.api.WcStatus;
import io.vhca.api.WorkCompletion;
import io.vhca.api.WrOpcode;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.config.ConfirmMode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What an application uses of a device besides posting and polling, over a bond whose members fail. Virtual time. */
class SurfaceTest {
    private static final long MS = BondPair.MS;
    private static final int READABLE = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_READ;

    private static BondConfig.Builder asIs(final BondConfig.Builder config) {
        return config;
    }

    private static List<AsyncEventType> events(final BondPair.Host host) {
        final List<AsyncEventType> types = new ArrayList<>();
        for (AsyncEvent event = host.bond.getAsyncEvent(0); event != null; event = host.bond.getAsyncEvent(0)) {
            types.add(event.type());
            assertThat(event.portNum()).isEqualTo(event.qp() == null ? 1 : 0);
        }
        return types;
    }

    /** Its receives would be flushed from memory that is freed. */
    @Test
    void aQueuePairThatIsDestroyedRightAfterDisconnectFlushesNothing() {
        try (BondPair pair = new BondPair(SurfaceTest::asIs)) {
            pair.connect();
            pair.left.polls = false;
            final CmId id = Objects.requireNonNull(pair.left.id);
            id.disconnect();
            id.destroyQp();
            pair.runFor(100 * MS);
            try (Arena arena = Arena.ofConfined()) {
                assertThat(pair.left.cq.poll(WorkCompletion.allocate(arena, 64))).isZero();
            }
        }
    }

    @Test
    void thePortOfABondIsDownOnlyWhenEveryMemberIs() {
        try (BondPair pair = new BondPair(SurfaceTest::asIs)) {
            pair.left.ports[0].up(false);
            pair.runFor(200 * MS);
            assertThat(events(pair.left)).isEmpty();
            assertThat(pair.left.bond.queryPort(1).state()).isEqualTo(PortState.ACTIVE);
            pair.left.ports[1].up(false);
            pair.runFor(200 * MS);
            assertThat(events(pair.left)).containsExactly(AsyncEventType.PORT_ERR);
            assertThat(pair.left.bond.queryPort(1).state()).isEqualTo(PortState.DOWN);
            pair.left.ports[0].up(true);
            pair.runFor(200 * MS);
            assertThat(events(pair.left)).containsExactly(AsyncEventType.PORT_ACTIVE);
            pair.left.ports[1].up(true);
            pair.runFor(200 * MS);
            assertThat(events(pair.left)).isEmpty();
        }
    }

    /** What a QP allows its peer must hold for every physical QP that it comes to have. */
    @Test
    void accessThatAQueuePairDoesNotGiveIsDeniedAfterAFailoverToo() {
        try (BondPair pair = new BondPair(SurfaceTest::asIs);
                Arena arena = Arena.ofConfined();
                MemoryRegion target = pair.right.pd.regMr(arena.allocate(BondPair.MESSAGE_BYTES), READABLE)) {
            pair.left.rdma(WrOpcode.RDMA_READ, target.addr(), target.rkey());
            assertThat(pair.runUntil(() -> pair.left.sends.size() == 1, 100 * MS)).isTrue();
            assertThat(pair.left.sends).containsExactly(WcStatus.SUCCESS);

            pair.right.qp().modify(new QpAttributes().accessFlags(AccessFlags.LOCAL_WRITE).minRnrTimer(3));
            pair.left.ports[0].up(false);
            pair.left.send();
            assertThat(pair.runUntil(() -> pair.left.sends.size() == 2, 1_000 * MS)).isTrue();
            assertThat(pair.right.qp().query().accessFlags()).isEqualTo(AccessFlags.LOCAL_WRITE);
            assertThat(pair.right.qp().query().minRnrTimer()).isEqualTo(3);
            pair.left.rdma(WrOpcode.RDMA_READ, target.addr(), target.rkey());
            assertThat(pair.runUntil(() -> pair.left.sends.size() == 3, 1_000 * MS)).isTrue();
            assertThat(pair.left.sends.getLast()).isEqualTo(WcStatus.REM_ACCESS_ERR);
        }
    }

    /** Heartbeats, marks and placeholders are writes: a peer that gives its application none must live all the same. */
    @Test
    void aQueuePairThatAllowsNothingOutlivesItsHeartbeats() {
        try (BondPair pair = new BondPair(SurfaceTest::asIs)) {
            pair.left.qp().modify(new QpAttributes().accessFlags(0));
            pair.right.qp().modify(new QpAttributes().accessFlags(0));
            pair.runFor(5_000 * MS);
            pair.left.send();
            assertThat(pair.runUntil(() -> pair.left.sends.size() == 1, 100 * MS)).isTrue();
            assertThat(pair.left.sends).containsExactly(WcStatus.SUCCESS);
            assertThat(pair.left.failovers()).isEmpty();
            assertThat(pair.right.failovers()).isEmpty();
        }
    }

    @Test
    void aQueryTellsOfThePeerAsTheApplicationKnowsIt() {
        try (BondPair pair = new BondPair(SurfaceTest::asIs)) {
            for (int i = 0; i < 2; i++) {
                final QpAttributes now = pair.left.qp().query();
                assertThat(now.qpState()).isEqualTo(QpState.RTS);
                assertThat(now.destQpNum()).isEqualTo(pair.right.qp().qpNum());
                assertThat(now.retryCnt()).isEqualTo(2);
                assertThat(now.timeout()).isEqualTo(10);
                pair.left.ports[0].up(false);
                assertThat(pair.runUntil(() -> !pair.left.failovers().isEmpty(), 1_000 * MS)).isTrue();
            }
        }
    }

    /** A physical queue pair that is being connected has not been told all of it. */
    @Test
    void aQueryTellsTheSameInTheMiddleOfARecovery() {
        try (BondPair pair = new BondPair(SurfaceTest::asIs)) {
            pair.left.bond.admin().set(List.of("standby=cold"));
            pair.runFor(2_000 * MS);
            final Set<String> told = new TreeSet<>();
            pair.left.ports[0].up(false);
            assertThat(pair.runUntil(
                            () -> {
                                final QpAttributes now = pair.left.qp().query();
                                told.add("timeout " + now.timeout() + ", retry_cnt " + now.retryCnt() + ", rnr_retry "
                                        + now.rnrRetry() + ", max_rd_atomic " + now.maxRdAtomic());
                                return !pair.left.failovers().isEmpty();
                            },
                            1_000 * MS))
                    .isTrue();
            assertThat(told).hasSize(1);
        }
    }

    /** Programs look where their peer is when a connection fails. */
    @Test
    void aQueryTellsOfThePeerWhileThereIsNoPathAndWhenItIsOver() {
        try (BondPair pair = new BondPair(SurfaceTest::asIs)) {
            final QueuePair qp = pair.left.qp();
            final Mtu mtu = pair.left.bond.queryPort(1).activeMtu();
            pair.left.ports[0].up(false);
            pair.left.ports[1].up(false);
            pair.runFor(1_000 * MS);
            tellsOfThePeer(pair, mtu, QpState.RTS);
            qp.modify(new QpAttributes().qpState(QpState.ERR));
            pair.runFor(1_000 * MS);
            tellsOfThePeer(pair, mtu, QpState.ERR);
            qp.modify(new QpAttributes().qpState(QpState.RESET));
            assertThat(qp.query().ah()).as("another life").isNull();
        }
    }

    private static void tellsOfThePeer(final BondPair pair, final Mtu mtu, final QpState state) {
        final QpAttributes now = pair.left.qp().query();
        assertThat(now.qpState()).isEqualTo(state);
        assertThat(now.destQpNum()).isEqualTo(pair.right.qp().qpNum());
        assertThat(Objects.requireNonNull(now.ah()).dgid().address()).isIn(pair.address(1, 0), pair.address(1, 1));
        assertThat(now.pathMtu()).isEqualTo(mtu);
    }

    /** Armed before the path dies; what completes on another member, or by negotiation, must wake up all the same. */
    @Test
    void noWakeUpIsLostAcrossAFailover() {
        try (BondPair pair = new BondPair(SurfaceTest::asIs);
                Arena arena = Arena.ofConfined();
                CompletionChannel channel = pair.left.bond.createCompChannel();
                CompletionQueue cq = pair.left.bond.createCq(64, null, channel)) {
            pair.left.cqOfNext = cq;
            pair.connect();
            final WorkCompletion wc = WorkCompletion.allocate(arena, 8);
            for (int member = 0; member < 2; member++) {
                cq.reqNotify(false);
                assertThat(channel.getCqEvent(0)).isNull();
                pair.block(member, true, true, true);
                final int before = pair.right.received;
                pair.left.send();
                pair.runFor(2 * MS);
                pair.left.ports[member].up(false);
                // What wakes up may be a request of the bond's own: then there is nothing to poll, and one waits again.
                do {
                    assertThat(pair.runUntil(() -> channel.getCqEvent(0) == cq, 2_000 * MS)).isTrue();
                    cq.reqNotify(false);
                } while (cq.poll(wc) == 0);
                assertThat(wc.statusName()).isEqualTo(WcStatus.SUCCESS);
                assertThat(pair.right.received).isEqualTo(before + 1);
                channel.getCqEvent(0);
                pair.left.ports[member].up(true);
                pair.block(member, true, true, false);
                pair.runFor(500 * MS);
            }
            Objects.requireNonNull(pair.left.id).close();
        }
    }

    /** To confirm what came the bond polls it: that must neither wake who waits for another one, nor take its event. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whoWaitsForSolicitedMessagesHearsOfThoseAndOfNothingElse(final boolean doesMemberDie) {
        try (BondPair pair = new BondPair(config -> config.confirm(ConfirmMode.PEER));
                Arena arena = Arena.ofConfined();
                CompletionChannel channel = pair.right.bond.createCompChannel();
                CompletionQueue cq = pair.right.bond.createCq(64, null, channel)) {
            pair.right.cqOfNext = cq;
            pair.connect();
            cq.reqNotify(true);
            sendConfirmed(pair, SendFlags.SIGNALED);
            assertThat(channel.getCqEvent(0)).isNull();

            sendConfirmed(pair, SendFlags.SIGNALED | SendFlags.SOLICITED);
            if (doesMemberDie) {
                pair.right.devices[0].kill();
                pair.runFor(1_000 * MS);
            }
            assertThat(channel.getCqEvent(0)).isSameAs(cq);
            assertThat(cq.poll(WorkCompletion.allocate(arena, 8))).isEqualTo(2);
            Objects.requireNonNull(pair.right.id).close();
        }
    }

    private static void sendConfirmed(final BondPair pair, final int flags) {
        final int before = pair.left.sends.size();
        pair.left.send(flags);
        assertThat(pair.runUntil(() -> pair.left.sends.size() > before, 1_000 * MS)).isTrue();
    }

    /** A request of the left one's, which the right one has accepted as if it were waited for by a thread. */
    private static CmId accepted(final BondPair pair) {
        pair.right.takesEvents = false;
        pair.beginConnect(pair.address(1, 9));
        final List<CmEvent> requests = new ArrayList<>();
        assertThat(pair.runUntil(
                        () -> {
                            final CmEvent event = pair.right.channel.getEvent(0);
                            if (event != null) {
                                requests.add(event);
                            }
                            return event != null;
                        },
                        1_000 * MS))
                .isTrue();
        final CmId id = requests.getFirst().id();
        id.createQp(pair.right.pd, QpInitAttributes.rc(
                pair.right.cq, pair.right.cq, new QpCapabilities(1, 1, 1, 1, 0)));
        id.accept(ConnectParameters.of(new byte[0]));
        return id;
    }

    /** Between the accept and the turn of the bond's thread that answers for it. */
    @ParameterizedTest
    @ValueSource(strings = {"id.close", "id.destroyQp", "qp.close"})
    void anAcceptThatIsTakenBackAtOnceIsRefused(final String how) {
        try (BondPair pair = new BondPair(config -> config)) {
            final CmId id = accepted(pair);
            switch (how) {
                case "id.close" -> id.close();
                case "id.destroyQp" -> id.destroyQp();
                default -> Objects.requireNonNull(id.qp()).close();
            }
            pair.runFor(5_000 * MS);
            assertThat(pair.left.events).contains(CmEventType.REJECTED).doesNotContain(CmEventType.ESTABLISHED);
            final CmEvent last = pair.right.channel.getEvent(0);
            assertThat(last == null ? null : last.type())
                    .isEqualTo(how.equals("id.close") ? null : CmEventType.CONNECT_ERROR);
            id.close();
        }
    }

    /** The answer goes out, and the end behind it: the peer meets a connection that ends and no bond that forgot it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anAcceptThatIsEndedAtOnceEndsAtBothEnds(final boolean isDestroyed) {
        try (BondPair pair = new BondPair(config -> config)) {
            final CmId id = accepted(pair);
            id.disconnect();
            if (isDestroyed) {
                id.destroyQp();
            }
            pair.runFor(20_000 * MS);
            final CmEvent last = Objects.requireNonNull(pair.right.channel.getEvent(0));
            assertThat(last.type()).isEqualTo(CmEventType.DISCONNECTED);
            assertThat(pair.right.channel.getEvent(0)).isNull();
            assertThat(pair.left.events).last().isIn(CmEventType.DISCONNECTED, CmEventType.REJECTED);
            for (AsyncEvent event = pair.left.bond.getAsyncEvent(0);
                    event != null;
                    event = pair.left.bond.getAsyncEvent(0)) {
                assertThat(event.type()).isNotEqualTo(AsyncEventType.QP_FATAL);
            }
            id.close();
        }
    }

    @Test
    void aLongRunOfUnsignaledRequestsNeedsNoPolling() {
        try (BondPair pair = new BondPair(SurfaceTest::asIs)) {
            for (int i = 0; i < 20 * BondPair.DEPTH; i++) {
                if (i == 10 * BondPair.DEPTH) {
                    pair.left.ports[0].up(false);
                }
                final int before = pair.right.received;
                pair.left.send(0);
                assertThat(pair.runUntil(() -> pair.right.received == before + 1, 1_000 * MS)).isTrue();
            }
            assertThat(pair.left.sends).isEmpty();
            pair.left.send();
            assertThat(pair.runUntil(() -> pair.left.sends.size() == 1, 100 * MS)).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"LOCAL_INV", "BIND_MW", "SEND_WITH_INV", "TSO"})
    void opcodesThatAreNotCarriedAreRefusedAtThePost(final WrOpcode opcode) {
        try (BondPair pair = new BondPair(SurfaceTest::asIs);
                Arena arena = Arena.ofConfined()) {
            final SendWorkRequest wr = SendWorkRequest.allocate(arena, 1);
            wr.wrId(1).opcode(opcode).sendFlags(SendFlags.SIGNALED).numSge(0);
            assertThat(pair.left.qp().postSend(wr)).isEqualTo(-Errno.EOPNOTSUPP);
        }
    }

    @Test
    void whatElseIsNotCarriedIsRefusedByName() {
        try (BondPair pair = new BondPair(SurfaceTest::asIs);
                Arena arena = Arena.ofConfined()) {
            final MemorySegment memory = arena.allocate(64);
            refused(() -> pair.left.pd.regMr(memory, AccessFlags.LOCAL_WRITE | AccessFlags.MW_BIND), "memory windows");
            refused(() -> pair.left.pd.regMr(memory, AccessFlags.ZERO_BASED), "zero-based");
            refused(() -> pair.left.pd.regMr(memory, AccessFlags.ON_DEMAND), "on-demand");
            refused(
                    () -> pair.left.pd.createQp(new QpInitAttributes(
                            pair.left.cq, pair.left.cq, null, new QpCapabilities(4, 4, 1, 1, 0), QpType.UC, false)),
                    "UC");
        }
    }

    private static void refused(final Runnable call, final String what) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EOPNOTSUPP))
                .hasMessageContainingAll(what, "not carried");
    }

    @Test
    void whoeverWaitsForAnEventWakesUpWhenTheBondCloses() throws InterruptedException {
        final BondPair pair = new BondPair(SurfaceTest::asIs);
        final CountDownLatch started = new CountDownLatch(1);
        final CountDownLatch woken = new CountDownLatch(1);
        final Thread waiter = Thread.ofPlatform().start(() -> {
            started.countDown();
            @Nullable AsyncEvent event = pair.left.bond.getAsyncEvent(Long.MAX_VALUE);
            while (event != null) {
                event = pair.left.bond.getAsyncEvent(Long.MAX_VALUE);
            }
            woken.countDown();
        });
        started.await();
        pair.close();
        assertThat(woken.await(20, TimeUnit.SECONDS)).isTrue();
        waiter.join();
        assertThat(pair.left.bond.getAsyncEvent(Long.MAX_VALUE)).as("nor does it wait later").isNull();
    }
}
