package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.AccessFlags;
import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Errno;
import io.vhca.api.MemoryRegion;
import io.vhca.api.NativeMemory;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QpType;
import io.vhca.api.QueuePair;
import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.SharedReceiveQueue;
import io.vhca.api.SrqAttributes;
import io.vhca.api.VerbsException;
import io.vhca.api.WcStatus;
import io.vhca.api.WorkCompletion;
import io.vhca.api.WrOpcode;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.core.FailoverReport;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Queue pairs that share one SRQ while some of them, or all, fail over: every message once, every receive once. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SharedReceiveTest {
    private static final long MS = BondPair.MS;
    private static final int QPS = 3;
    private static final int DEPTH = 8;
    private static final int BYTES = 64;
    private static final int PORT = 6_000;
    private static final long DRAIN_NS = BondConfig.builder("any").members(List.of("a", "b")).build().drainTimeoutNs();

    private final Arena arena = Arena.ofShared();
    private final List<EventInjector> members = new ArrayList<>();
    private final BondPair pair = new BondPair(SharedReceiveTest::asIs, device -> {
        final EventInjector injector = new EventInjector();
        members.add(injector);
        return injector.wrap(device);
    });
    private final CmEventChannel senderCm = pair.right.bond.createEventChannel();
    private final CmEventChannel receiverCm = pair.left.bond.createEventChannel();
    private final CompletionQueue sendCq = pair.right.bond.createCq(256, null, null);
    private final CompletionQueue recvCq = pair.left.bond.createCq(256, null, null);
    private final SharedReceiveQueue srq = pair.left.pd.createSrq(new SrqAttributes(DEPTH, 1, 0));
    private final MemoryRegion source =
            pair.right.pd.regMr(arena.allocate((long) QPS * DEPTH * BYTES, 64), AccessFlags.LOCAL_WRITE);
    private final MemoryRegion target =
            pair.left.pd.regMr(arena.allocate((long) DEPTH * BYTES, 64), AccessFlags.LOCAL_WRITE);
    private final List<CmId> ids = new ArrayList<>();
    private final List<QueuePair> senders = new ArrayList<>();
    private final List<QueuePair> receivers = new ArrayList<>();
    private final WorkCompletion wc = WorkCompletion.allocate(arena, 1);
    private final SendWorkRequest send = SendWorkRequest.allocate(arena, 1);
    private final RecvWorkRequest recv = RecvWorkRequest.allocate(arena, 1);

    /** Messages of each connection that arrived, and sends that completed. */
    private final int[] arrived = new int[QPS];

    private final int[] completed = new int[QPS];
    private final int[] posted = new int[QPS];
    private final Set<Long> outstanding = new HashSet<>();
    private final Map<Integer, Integer> connectionOf = new HashMap<>();
    private boolean reposts = true;

    private static BondConfig.Builder asIs(final BondConfig.Builder config) {
        return config;
    }

    @AfterEach
    void close() {
        ids.forEach(CmId::close);
        senderCm.close();
        receiverCm.close();
        srq.close();
        sendCq.close();
        recvCq.close();
        source.close();
        target.close();
        pair.close();
        arena.close();
    }

    private void connect() {
        listen();
        for (int i = 0; i < QPS; i++) {
            connect(i);
        }
    }

    private void listen() {
        final CmId listener = receiverCm.createId(CmPortSpace.TCP, null);
        ids.add(listener);
        listener.bindAddr(new InetSocketAddress(pair.address(0, 9), PORT));
        listener.listen(QPS);
    }

    private void connect(final int connection) {
        begin(connection);
        assertThat(pair.runUntil(() -> isConnected(connection), 1_000 * MS)).isTrue();
    }

    private void begin(final int connection) {
        final CmId id = senderCm.createId(CmPortSpace.TCP, connection);
        ids.add(id);
        id.resolveAddr(null, new InetSocketAddress(pair.address(0, 9), PORT), 1_000);
    }

    private boolean isConnected(final int connection) {
        for (CmEvent event = senderCm.getEvent(0); event != null; event = senderCm.getEvent(0)) {
            switch (event.type()) {
                case ADDR_RESOLVED -> event.id().resolveRoute(1_000);
                case ROUTE_RESOLVED -> {
                    senders.add(event.id().createQp(
                            pair.right.pd,
                            QpInitAttributes.rc(sendCq, sendCq, new QpCapabilities(DEPTH, 1, 1, 1, 0))));
                    connectionOf.put(senders.getLast().qpNum(), connection);
                    event.id().connect(new ConnectParameters(new byte[0], 4, 4, 7, 7, 0, 0));
                }
                default -> {
                    // The passive side tells when it stands.
                }
            }
            event.ack();
        }
        boolean isConnected = false;
        for (CmEvent event = receiverCm.getEvent(0); event != null; event = receiverCm.getEvent(0)) {
            switch (event.type()) {
                case CONNECT_REQUEST -> {
                    ids.add(event.id());
                    receivers.add(event.id().createQp(
                            pair.left.pd,
                            new QpInitAttributes(
                                    recvCq, recvCq, srq, new QpCapabilities(1, 0, 1, 0, 0), QpType.RC, false)));
                    event.id().accept(new ConnectParameters(new byte[0], 4, 4, 7, 7, 0, 0));
                }
                case ESTABLISHED -> isConnected = true;
                default -> {
                    // Nothing to do.
                }
            }
            event.ack();
        }
        return isConnected;
    }

    private void postRecv(final long slot) {
        assertThat(outstanding.add(slot)).as("receive %d is completed once", slot).isTrue();
        assertThat(srq.postRecv(recv.wrId(slot).sge(target.addr() + slot * BYTES, BYTES, target.lkey()))).isEqualTo(1);
    }

    private void fill() {
        for (int slot = 0; slot < DEPTH; slot++) {
            postRecv(slot);
        }
    }

    /** Sends the next message of a connection, which says whose and which it is. */
    private void send(final int connection) {
        final int number = posted[connection]++;
        final long at = source.addr() + (connection * DEPTH + number % DEPTH) * (long) BYTES;
        NativeMemory.putInt(at, connection);
        NativeMemory.putInt(at + Integer.BYTES, number);
        assertThat(senders.get(connection)
                        .postSend(send.wrId(number)
                                .opcode(WrOpcode.SEND)
                                .sendFlags(SendFlags.SIGNALED)
                                .sge(at, BYTES, source.lkey())))
                .isEqualTo(1);
    }

    private void poll() {
        while (sendCq.poll(wc) == 1) {
            final int connection = Objects.requireNonNull(connectionOf.get(wc.qpNum()));
            assertThat(wc.statusName()).isEqualTo(WcStatus.SUCCESS);
            assertThat(wc.wrId()).isEqualTo(completed[connection]++);
        }
        while (recvCq.poll(wc) == 1) {
            assertThat(wc.statusName()).isEqualTo(WcStatus.SUCCESS);
            assertThat(outstanding.remove(wc.wrId())).as("receive %d was posted", wc.wrId()).isTrue();
            final long at = target.addr() + wc.wrId() * BYTES;
            final int connection = NativeMemory.getInt(at);
            assertThat(receivers.get(connection).qpNum()).isEqualTo(wc.qpNum());
            assertThat(NativeMemory.getInt(at + Integer.BYTES)).as("in order, once").isEqualTo(arrived[connection]++);
            if (reposts) {
                postRecv(wc.wrId());
            }
        }
    }

    private boolean isQuiet() {
        poll();
        return java.util.Arrays.equals(posted, arrived) && java.util.Arrays.equals(posted, completed);
    }

    private void assertAllArrives() {
        assertThat(pair.runUntil(this::isQuiet, 20_000 * MS)).as("all arrives").isTrue();
    }

    /** Every receive that was posted takes a message: none has been lost. */
    private void assertNoneIsLost() {
        assertThat(outstanding).hasSize(DEPTH);
        reposts = false;
        for (int i = 0; i < DEPTH; i++) {
            send(i % QPS);
        }
        assertAllArrives();
        assertThat(outstanding).isEmpty();
    }

    /** A random walk of sends, while links come and go. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void everyMessageArrivesOnceThroughFailovers(final long seed) {
        final SplittableRandom random = new SplittableRandom(seed);
        fill();
        connect();
        for (int step = 0; step < 300; step++) {
            final int connection = random.nextInt(QPS);
            if (posted[connection] - completed[connection] < DEPTH) {
                send(connection);
            }
            poll();
            pair.runFor(random.nextInt(3) * 10_000L);
            if (random.nextInt(40) == 0) {
                disturb(random);
            }
        }
        pair.left.ports[0].up(true);
        pair.left.ports[1].up(true);
        assertAllArrives();
        assertNoneIsLost();
    }

    private void disturb(final SplittableRandom random) {
        final int member = random.nextInt(2);
        switch (random.nextInt(3)) {
            case 0 -> {
                pair.left.ports[member].up(false);
                pair.left.ports[1 - member].up(true);
            }
            case 1 -> pair.block(member, true, true, random.nextBoolean());
            default -> pair.left.ports[member].up(true);
        }
        if (random.nextInt(3) == 0) {
            pair.block(0, true, true, false);
            pair.block(1, true, true, false);
        }
    }

    /**
     * One queue pair alone moves, and the receives are where the others sit idle: they must follow.
     *
     * @param isFedAgain whether the application posts a receive for each that was consumed
     */
    @ParameterizedTest
    @CsvSource({"true", "false"})
    void oneOfThreeFailsOver(final boolean isFedAgain) {
        reposts = isFedAgain;
        fill();
        connect();
        send(0);
        send(1);
        assertAllArrives();
        receivers.get(2).modify(new QpAttributes().minRnrTimer(1));
        final EventInjector member = members.getFirst();
        member.cmEvents.add(EventInjector.event(CmEventType.DISCONNECTED, member.established.getLast()));
        for (int i = 0; i < DEPTH - 2; i++) {
            send(2);
        }
        assertAllArrives();
        assertThat(outstanding).hasSize(isFedAgain ? DEPTH : 0);
    }

    /** The receives are where a queue pair is still being connected, which cannot follow anybody. */
    @Test
    void receivesDoNotStayBehindWithOneThatIsBeingConnected() {
        fill();
        listen();
        begin(0);
        assertThat(pair.runUntil(() -> isConnected(0) || !receivers.isEmpty(), 100 * MS)).isTrue();
        pair.block(0, true, true, true);
        pair.right.bond.admin().activate("right1");
        connect(1);
        connect(2);
        pair.runFor(5 * MS);
        pair.block(0, true, true, false);
        assertThat(pair.runUntil(() -> isConnected(0), 5_000 * MS)).isTrue();
        send(1);
        send(2);
        assertThat(pair.runUntil(this::isQuiet, 20 * MS)).as("before anybody takes the path for dead").isTrue();
        send(0);
        assertAllArrives();
        assertNoneIsLost();
    }

    @Test
    void theLimitIsTheQueuesNotThatOfAMember() {
        fill();
        connect();
        reposts = false;
        srq.armLimit(DEPTH / 2);
        for (int i = 0; i < DEPTH / 2; i++) {
            send(i % QPS);
        }
        assertAllArrives();
        assertThat(limitEvents()).isEmpty();
        assertThat(srq.query().limit()).isEqualTo(DEPTH / 2);
        pair.left.ports[0].up(false);
        send(0);
        assertAllArrives();
        assertThat(limitEvents()).containsExactly(AsyncEvent.ofSrq(AsyncEventType.SRQ_LIMIT_REACHED, srq));
        send(1);
        assertAllArrives();
        assertThat(limitEvents()).as("once, until it is armed again").isEmpty();
        assertThat(srq.query().limit()).isZero();
    }

    private List<AsyncEvent> limitEvents() {
        final List<AsyncEvent> events = new ArrayList<>();
        for (AsyncEvent event = pair.left.bond.getAsyncEvent(0);
                event != null;
                event = pair.left.bond.getAsyncEvent(0)) {
            events.add(event);
        }
        return events;
    }

    /** Soft devices, as others, take the completions of a queue pair that is destroyed out of their queues. */
    @Test
    void receivesOfMessagesThatNobodyPolledAreFreeOnceTheirQueuePairIsDestroyed() {
        fill();
        connect();
        for (long slot = 0; slot < DEPTH / 2; slot++) {
            send(0);
        }
        pair.runFor(20 * MS);
        final QueuePair destroyed = receivers.getFirst();
        ids.stream().filter(id -> id.qp() == destroyed).findFirst().orElseThrow().destroyQp();
        assertThat(recvCq.poll(wc)).isZero();
        arrived[0] = DEPTH / 2;
        for (long slot = 0; slot < DEPTH / 2; slot++) {
            outstanding.remove(slot);
            postRecv(slot);
        }
        reposts = false;
        for (int i = 0; i < DEPTH; i++) {
            send(1);
        }
        assertAllArrives();
        assertThat(outstanding).isEmpty();
    }

    @Test
    void aQueuePairInErrorSaysThatItTakesNoMoreAndLeavesTheReceivesToTheOthers() {
        fill();
        connect();
        receivers.getFirst().modify(new QpAttributes().qpState(QpState.ERR));
        pair.runFor(10 * MS);
        assertThat(limitEvents())
                .containsExactly(AsyncEvent.ofQp(AsyncEventType.QP_LAST_WQE_REACHED, receivers.getFirst()));
        poll();
        assertThat(outstanding).as("nothing of the shared queue is flushed").hasSize(DEPTH);
        for (int i = 0; i < DEPTH; i++) {
            send(1);
        }
        assertAllArrives();
    }

    /** It had stayed on the member that the others have left, with all receives. */
    @Test
    void oneThatFailedByAnErrorOfItsOwnKeepsNoReceivesWhenTheOthersMove() {
        fill();
        connect();
        final QueuePair failed = receivers.getFirst();
        assertThat(failed.postSend(send.wrId(9)
                        .opcode(WrOpcode.SEND)
                        .sendFlags(SendFlags.SIGNALED)
                        .sge(target.addr(), BYTES, 12_345)))
                .isEqualTo(1);
        assertThat(pair.runUntil(() -> recvCq.poll(wc) == 1, 10 * MS)).isTrue();
        assertThat(wc.statusName()).isEqualTo(WcStatus.LOC_PROT_ERR);
        pair.runFor(MS);
        assertThat(failed.state()).isEqualTo(QpState.ERR);
        pair.right.ports[0].up(false);
        for (int i = 0; i < DEPTH; i++) {
            send(1 + i % 2);
        }
        assertAllArrives();
    }

    /** Some devices have no event for the last shared receive: that is waited for once, and never again. */
    @Test
    void aDeviceThatDoesNotTellOfItsLastReceiveIsWaitedForOnce() {
        members.forEach(member -> member.withheld.add(AsyncEventType.QP_LAST_WQE_REACHED));
        fill();
        connect();
        assertThat(slowestFence()).as("nobody knows it yet").isGreaterThanOrEqualTo(DRAIN_NS);
        assertThat(slowestFence()).as("the other member").isGreaterThanOrEqualTo(DRAIN_NS);
        assertThat(slowestFence()).isLessThan(MS);
        members.forEach(member -> member.withheld.clear());
        assertThat(slowestFence()).isLessThan(MS);
    }

    /** The longest that a receiver takes to stop, when the member in use goes down, and comes back after it. */
    private long slowestFence() {
        final int before = pair.left.failovers().size();
        final int active = pair.left.bond.admin().members().get(0).active() ? 0 : 1;
        for (int i = 0; i < QPS; i++) {
            send(i);
        }
        pair.left.ports[active].up(false);
        assertAllArrives();
        pair.left.ports[active].up(true);
        pair.runFor(100 * MS);
        return pair.left.failovers().stream().skip(before)
                .filter(report -> receivers.stream().anyMatch(qp -> qp.qpNum() == report.qpNum()))
                .mapToLong(FailoverReport::fenceNs)
                .max()
                .orElseThrow();
    }

    @Test
    void whatIsWrongIsRefused() {
        connect();
        assertThat(receivers.getFirst().srq()).isSameAs(srq);
        assertThat(receivers.getFirst().postRecv(recv.wrId(1).numSge(0))).isEqualTo(-Errno.EINVAL);
        fill();
        assertThat(srq.postRecv(recv.wrId(99).numSge(0))).isEqualTo(-Errno.ENOMEM);
        assertThatThrownBy(srq::close)
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY));
        final SrqAttributes tooMany =
                new SrqAttributes(pair.left.bond.queryDevice().maxSrqWr() + 1, 1, 0);
        assertThatThrownBy(() -> pair.left.pd.createSrq(tooMany))
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
                .hasMessageContainingAll("maxWr", "least of the members");
    }
}
