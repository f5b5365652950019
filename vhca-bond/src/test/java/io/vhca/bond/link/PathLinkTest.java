package io.vhca.bond.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.CompletionQueue;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QueuePair;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.fake.FakeCmChannel;
import io.vhca.bond.fake.FakeCmEvent;
import io.vhca.bond.fake.FakeCmId;
import io.vhca.bond.fake.FakeQp;
import io.vhca.bond.fake.MemberBench;
import io.vhca.bond.link.PathLink.State;
import io.vhca.recovery.wire.MemberId;
import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.RejectRecord;
import io.vhca.recovery.wire.SessionId;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PathLinkTest {
    private static final int PORT = 9_000;
    private static final byte[] NONE = new byte[0];
    private static final byte[] ASK = {1, 2, 3};
    private static final InetSocketAddress TO = new InetSocketAddress(InetAddress.ofLiteral("10.0.0.2"), PORT);
    private final MemberBench bench = new MemberBench(1, options -> options);
    private final Links links = new Links(bench.core);
    private final List<String> told = new ArrayList<>();
    private final Map<PathLink, CmId> ids = new IdentityHashMap<>();
    /** So near to the end that deadlines wrap; no constant, which a compiler would calculate with. */
    private final long nowNs = Long.valueOf(Long.MAX_VALUE - 5);

    private final PathLink.Owner owner = new PathLink.Owner() {
        @Override
        public void onLinkReady(final PathLink link) {
            told.add("ready");
        }

        @Override
        public void onLinkEstablished(
                final PathLink link, final byte[] reply, final ConnectParameters parameters, final long atNs) {
            told.add("established");
        }

        @Override
        public void onLinkRejected(final PathLink link, final byte[] privateData, final long atNs) {
            told.add("rejected " + privateData.length);
        }

        @Override
        public void onLinkFailed(final PathLink link, final long atNs) {
            told.add("failed");
        }

        @Override
        public void onLinkDisconnected(final PathLink link, final boolean deviceRemoval, final long atNs) {
            told.add(deviceRemoval ? "removed" : "disconnected");
        }

        @Override
        public ConnectParameters connectParameters() {
            return new ConnectParameters(NONE, 3, 4, 0, 5, 0, 0);
        }
    };

    @AfterEach
    void close() {
        links.close();
        bench.close();
    }

    private PathLink active() {
        bench.core.beginTurn(nowNs);
        final PathLink link = links.connect(owner, bench.member(0), TO, ASK);
        ids.put(link, ((FakeCmChannel) bench.member(0).cm()).newest());
        return link;
    }

    /** The events of the member, told to the link they belong to; how many there were. */
    private int deliver(final PathLink link) {
        int count = 0;
        for (CmEvent event = bench.member(0).cm().getEvent(0);
                event != null;
                event = bench.member(0).cm().getEvent(0)) {
            assertThat(links.find(event.id())).isSameAs(link);
            link.onEvent(event, nowNs);
            count++;
        }
        return count;
    }

    private static FakeCmEvent event(final CmEventType type, final CmId id, final int status) {
        return new FakeCmEvent(type, id, null, status, new byte[2], ConnectParameters.of(NONE));
    }

    /** A REQ that arrived, judged by nobody. */
    private PathLink passive() {
        bench.core.beginTurn(nowNs);
        final FakeCmId listener = (FakeCmId) bench.member(0).cm().createId(CmPortSpace.TCP, null);
        listener.bindAddr(new InetSocketAddress(bench.member(0).address(), PORT));
        listener.listen(1);
        final CmId asker = bench.fabric.device("peer", "10.0.0.2").open().createEventChannel()
                .createId(CmPortSpace.TCP, null);
        asker.resolveAddr(null, new InetSocketAddress(bench.member(0).address(), PORT), 1);
        asker.resolveRoute(1);
        asker.connect(ConnectParameters.of(ASK));
        final CmEvent request = Objects.requireNonNull(bench.member(0).cm().getEvent(0));
        listener.close();
        final PathLink link = links.requested(bench.member(0), request.id());
        link.owner(owner);
        ids.put(link, request.id());
        return link;
    }

    /** A link in a state, with nothing told yet. */
    private PathLink in(final State state) {
        final boolean isPassive = EnumSet.of(State.REQUESTED, State.ACCEPTING, State.ANSWERED).contains(state);
        final PathLink link = isPassive ? passive() : active();
        switch (state) {
            case RESOLVING, REQUESTED -> { }
            case ACCEPTING -> {
                carry(link, new ArrayList<>());
                link.accept(NONE, nowNs);
            }
            case ANSWERED -> link.acceptDatagrams(NONE, 5, 6);
            case ROUTING -> link.onEvent(event(CmEventType.ADDR_RESOLVED, id(link), 0), nowNs);
            case CONNECTING -> deliver(link);
            case ESTABLISHED -> {
                deliver(link);
                link.onEvent(event(CmEventType.ESTABLISHED, id(link), 0), nowNs);
            }
            case FAILED -> link.onEvent(event(CmEventType.ADDR_ERROR, id(link), 0), nowNs);
            case CLOSED -> link.close();
        }
        assertThat(link.state()).isEqualTo(state);
        told.clear();
        return link;
    }

    private CmId id(final PathLink link) {
        return Objects.requireNonNull(ids.get(link));
    }

    private static final Map<CmEventType, String> TOLD_ESTABLISHED = new EnumMap<>(Map.of(
            CmEventType.ESTABLISHED, "established",
            CmEventType.REJECTED, "rejected 2",
            CmEventType.ADDR_ERROR, "failed",
            CmEventType.ROUTE_ERROR, "failed",
            CmEventType.UNREACHABLE, "disconnected",
            CmEventType.CONNECT_ERROR, "disconnected",
            CmEventType.DISCONNECTED, "disconnected",
            CmEventType.DEVICE_REMOVAL, "removed",
            CmEventType.ROUTE_RESOLVED, "ready"));

    /** Every event in every state: what the owner is told, and where the link is then. */
    @ParameterizedTest
    @EnumSource(State.class)
    void everyEventInEveryState(final State state) {
        for (final CmEventType type : CmEventType.values()) {
            final PathLink link = in(state);
            final int status = type == CmEventType.REJECTED ? PathLink.REJECTED_BY_CONSUMER : -110;
            link.onEvent(event(type, id(link), status), nowNs);
            final boolean isOver = state == State.FAILED || state == State.CLOSED;
            String wanted = TOLD_ESTABLISHED.get(type);
            if (state != State.ESTABLISHED
                    && wanted != null
                    && (wanted.equals("disconnected") || wanted.equals("removed"))) {
                wanted = "failed";
            }
            final boolean isSaidAgain =
                    type == CmEventType.ESTABLISHED && (state == State.ESTABLISHED || state == State.ANSWERED);
            if (isOver || isSaidAgain || wanted == null) {
                assertThat(told).as("%s in %s", type, state).isEmpty();
            } else {
                assertThat(told).as("%s in %s", type, state).contains(wanted);
            }
            final State next = link.state();
            switch (type) {
                case ADDR_ERROR, ROUTE_ERROR, REJECTED ->
                    assertThat(next).as("%s in %s", type, state).isEqualTo(isOver ? state : State.FAILED);
                case ESTABLISHED ->
                    assertThat(next)
                            .as("%s in %s", type, state)
                            .isEqualTo(isOver || isSaidAgain ? state : State.ESTABLISHED);
                case UNREACHABLE, CONNECT_ERROR, DISCONNECTED, DEVICE_REMOVAL ->
                    assertThat(next)
                            .as("%s in %s", type, state)
                            .isEqualTo(isOver || state == State.ESTABLISHED ? state : State.FAILED);
                case CONNECT_REQUEST, CONNECT_RESPONSE, MULTICAST_JOIN, MULTICAST_ERROR, ADDR_CHANGE, TIMEWAIT_EXIT,
                        UNKNOWN -> assertThat(next).as("%s in %s", type, state).isEqualTo(state);
                default -> {
                    // ADDR_RESOLVED and ROUTE_RESOLVED: the steps of a connect, below.
                }
            }
            link.close();
            assertThat(link.state()).isEqualTo(State.CLOSED);
        }
    }

    @Test
    void aConnectGoesStepByStepWithWhatTheOwnerAndTheOptionsSay() {
        final PathLink link = active();
        assertThat(link.state()).isEqualTo(State.RESOLVING);
        assertThat(link.isPending()).isTrue();
        assertThat(deliver(link)).isEqualTo(2);
        assertThat(told).containsExactly("ready");
        assertThat(link.state()).isEqualTo(State.CONNECTING);
        assertThat(link.hasCarried()).isFalse();
        assertThat(((FakeCmId) id(link)).settings()).startsWith("ack_timeout " + bench.core.config().ackTimeout());
        link.onEvent(event(CmEventType.ESTABLISHED, id(link), 0), nowNs);
        assertThat(link.isPending()).isFalse();
        assertThat(link.hasCarried()).isTrue();
        assertThat(link.remote()).isEqualTo(TO.getAddress());
    }

    @Test
    void aRejectionWithoutARecordIsAnEmptyOne() {
        final PathLink link = in(State.CONNECTING);
        link.onEvent(event(CmEventType.REJECTED, id(link), 8), nowNs);
        assertThat(told).containsExactly("rejected 0");
    }

    @Test
    void aServiceThatSaysNoIsARejection() {
        final PathLink link = in(State.CONNECTING);
        link.onEvent(event(CmEventType.UNREACHABLE, id(link), 1), nowNs);
        assertThat(told).containsExactly("rejected 2");
    }

    @Test
    void anAttemptEndsAtItsDeadlineAlsoAcrossTheWrapOfTheClock() {
        final PathLink link = active();
        final long patienceNs = bench.core.config().pathTimeoutNs();
        assertThat(links.nextDeadlineNs()).isEqualTo(nowNs + patienceNs);
        assertThat(links.doWork(nowNs + patienceNs - 1)).isZero();
        assertThat(links.doWork(nowNs + patienceNs)).isEqualTo(1);
        assertThat(told).containsExactly("failed");
        assertThat(link.state()).isEqualTo(State.FAILED);
        assertThat(links.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
        assertThat(links.doWork(nowNs + 2 * patienceNs)).isZero();
    }

    @Test
    void theTimeOfAStepCanBeAnotherOne() {
        final PathLink link = active();
        link.waitUntil(nowNs + 7);
        assertThat(link.deadlineNs()).isEqualTo(nowNs + 7);
        assertThat(links.doWork(nowNs + 7)).isEqualTo(1);
    }

    @Test
    void whileEventsWaitTheAnswerMayBeAmongThemButNotForEver() {
        final PathLink link = active();
        final long boundNs = bench.core.config().pathTimeoutNs();
        bench.member(0).hasEventsLeft(true);
        assertThat(links.doWork(nowNs + boundNs)).isZero();
        assertThat(links.doWork(nowNs + 5 * boundNs - 1)).isZero();
        assertThat(link.state()).isEqualTo(State.RESOLVING);
        bench.member(0).hasEventsLeft(false);
        assertThat(links.doWork(nowNs + boundNs)).as("all were looked at").isEqualTo(1);
        final PathLink flooded = active();
        bench.member(0).hasEventsLeft(true);
        assertThat(links.doWork(nowNs + 5 * boundNs)).isEqualTo(1);
        assertThat(flooded.state()).isEqualTo(State.FAILED);
    }

    @Test
    void anAnswerMayRemainUnconfirmedForLongerThanAPathMayTakeWhereThePeerIsThatPatient() {
        final PathLink link = in(State.REQUESTED);
        final long boundNs = bench.core.config().pathTimeoutNs();
        link.confirmWithin(3 * boundNs);
        carry(link, new ArrayList<>());
        link.accept(NONE, nowNs);
        assertThat(link.deadlineNs()).isEqualTo(nowNs + 3 * boundNs);
        final PathLink usual = in(State.REQUESTED);
        usual.confirmWithin(boundNs / 2);
        carry(usual, new ArrayList<>());
        usual.accept(NONE, nowNs);
        assertThat(usual.deadlineNs()).isEqualTo(nowNs + boundNs);
    }

    @Test
    void whatIsEstablishedHasNoDeadline() {
        in(State.ESTABLISHED);
        assertThat(links.doWork(nowNs + 1_000_000_000_000L)).isZero();
    }

    @Test
    void aDeviceThatCannotEvenResolveLeavesNothingBehind() {
        bench.device(0).die();
        assertThatThrownBy(this::active).isInstanceOf(VerbsException.class);
        assertThat(links.on(bench.member(0))).isEmpty();
    }

    @Test
    void aVerbThatFailsInAStepFailsTheLink() {
        final PathLink link = active();
        bench.device(0).die();
        link.onEvent(event(CmEventType.ADDR_RESOLVED, id(link), 0), nowNs);
        assertThat(told).containsExactly("failed");
        assertThat(link.state()).isEqualTo(State.FAILED);
    }

    @Test
    void anOwnerMayCloseTheLinkWhenItIsReady() {
        final PathLink link = active();
        link.owner(new ClosingOwner());
        deliver(link);
        assertThat(link.state()).isEqualTo(State.CLOSED);
        assertThat(links.on(bench.member(0))).isEmpty();
    }

    @Test
    void aRequestThatIsRejectedIsClosedAndTheAskerHearsWhy() {
        final PathLink link = in(State.REQUESTED);
        link.reject(new RejectRecord(RejectCode.CLOSED, SessionId.NONE, 0).encode());
        assertThat(link.state()).isEqualTo(State.CLOSED);
        assertThat(links.find(id(link))).isNull();
    }

    @Test
    void whatTheSenderSaysOfItsMemberIsKept() {
        final PathLink link = active();
        link.speaksFrom(new MemberId(5, 3));
        assertThat(link.remoteMember()).isEqualTo(5);
        assertThat(link.remoteGeneration()).isEqualTo(3);
    }

    // ---- the queue pair that it carries -----------------------------------------------------------------------------

    private FakeQp carry(final PathLink link, final List<String> fate) {
        final ProtectionDomain pd = bench.member(0).context().allocPd();
        final CompletionQueue cq = bench.member(0).context().createCq(16, null, null);
        return (FakeQp) link.createQp((cmId, member) -> {
            final QueuePair made = cmId.createQp(pd, QpInitAttributes.rc(cq, cq, new QpCapabilities(4, 4, 1, 1, 0)));
            return new CarriedQp() {
                @Override
                public QueuePair queuePair() {
                    return made;
                }

                @Override
                public boolean sharesReceives() {
                    return false;
                }

                @Override
                public void letGo(final PathLink gone) {
                    fate.add("let go");
                }

                @Override
                public void beginUse() {
                    // What its completions go to is not looked at here.
                }

                @Override
                public void endUse() {
                    fate.add("before");
                }

                @Override
                public void afterDestroy() {
                    fate.add("after");
                }
            };
        });
    }

    @Test
    void closingDestroysTheQueuePairOnceAndSaysSoBeforeAndAfter() {
        final PathLink link = active();
        final List<String> fate = new ArrayList<>();
        final FakeQp qp = carry(link, fate);
        assertThat(link.qp()).isSameAs(qp);
        link.close();
        link.close();
        assertThat(qp.isClosed()).isTrue();
        assertThat(fate).containsExactly("before", "after");
    }

    @Test
    void aFenceMovesToErrAndPutsAMarkerBehindEachQueue() {
        final PathLink link = in(State.CONNECTING);
        final FakeQp qp = carry(link, new ArrayList<>());
        assertThat(link.fence(11, 22, bench.core.scratchWr())).isTrue();
        assertThat(qp.state()).isEqualTo(QpState.ERR);
        assertThat(qp.everSent()).hasSize(1);
        assertThat(qp.everSent().getFirst().wrId()).isEqualTo(11);
        assertThat(qp.outstanding() + qp.waitingReceives()).as("both came back").isZero();
    }

    @Test
    void aQueuePairThatTakesNoMarkerCanOnlyBeDestroyed() {
        final PathLink link = in(State.CONNECTING);
        assertThat(link.fence(1, 2, bench.core.scratchWr())).as("there is none").isFalse();
        carry(link, new ArrayList<>()).refuseSends(5);
        assertThat(link.fence(1, 2, bench.core.scratchWr())).isFalse();
        bench.member(0).died();
        assertThat(link.fence(1, 2, bench.core.scratchWr())).as("its device is dead").isFalse();
    }

    @Test
    void withItsDeviceALinkIsBuriedWhoeverHoldsItAndTheOwnerIsTold() {
        for (final State state : List.of(State.RESOLVING, State.CONNECTING, State.ESTABLISHED)) {
            final PathLink link = in(state);
            final List<String> fate = new ArrayList<>();
            carry(link, fate);
            link.bury(nowNs);
            assertThat(told).containsExactly(state == State.ESTABLISHED ? "removed" : "failed");
            assertThat(fate).containsExactly("let go", "before", "after");
            assertThat(link.state()).isEqualTo(State.FAILED);
            link.close();
            assertThat(fate).as("once").hasSize(3);
        }
    }

    @Test
    void aLinkIsDescribedByItsPathAndState() {
        assertThat(active().toString()).startsWith("m0 -> 10.0.0.2 RESOLVING");
    }

    /** Closes what is ready. */
    private static final class ClosingOwner implements PathLink.Owner {
        @Override
        public void onLinkReady(final PathLink link) {
            link.close();
        }

        @Override
        public void onLinkEstablished(
                final PathLink link,
                final byte[] reply,
                final ConnectParameters parameters,
                final long nowNs) {}

        @Override
        public void onLinkRejected(final PathLink link, final byte[] privateData, final long nowNs) {}

        @Override
        public void onLinkFailed(final PathLink link, final long nowNs) {}

        @Override
        public void onLinkDisconnected(final PathLink link, final boolean deviceRemoval, final long nowNs) {}

        @Override
        public ConnectParameters connectParameters() {
            return ConnectParameters.of(NONE);
        }
    }
}
