package io.vhca.physical.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.AccessFlags;
import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.Devices;
import io.vhca.api.Errno;
import io.vhca.api.MemoryRegion;
import io.vhca.api.ProtectionDomain;
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
import io.vhca.physical.soft.carrier.Carrier;
import io.vhca.physical.soft.carrier.ForwardingCarrier;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Two soft devices of this process talk over UDP loopback, found by name as any application finds them. */
class SoftLoopbackTest {
    private static final long WAIT_NS = 60_000_000_000L;
    private static final int STALE_EVENTS = 200_000;

    /** Over an address of its own, so that its thread is told by its name. */
    private static SoftDevice device(final String name, final UnaryOperator<Carrier> tap) throws Exception {
        return SoftDevice.overUdp(new SoftConfig(name, OwnAddress.of(13), 1024), tap);
    }

    private static boolean isRun(final SoftDevice device) {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.isAlive() && thread.getName().equals("vhca-" + device.name()));
    }

    /** As after many a round of an application that asks for events and takes none. */
    @Test
    void eventsOfACqThatIsDestroyedCostNobodyHisStack() throws Exception {
        try (Context context = device("soft-stale", UnaryOperator.identity()).open();
                CompletionChannel channel = context.createCompChannel();
                CompletionQueue second = context.createCq(16, null, channel)) {
            final CompletionQueue first = context.createCq(16, null, channel);
            for (int i = 0; i < STALE_EVENTS; i++) {
                ((SoftCompletionChannel) channel).put(first);
            }
            first.close();
            assertThat(channel.getCqEvent(0)).isNull();
            ((SoftCompletionChannel) channel).put(second);
            assertThat(channel.getCqEvent(WAIT_NS)).isSameAs(second);
        }
    }

    @Test
    void anOpenThatFailsKeepsNoPort() throws Exception {
        final List<Runnable> failures = List.of(
                () -> {
                    throw new IllegalStateException("planted");
                },
                () -> {
                    throw new OutOfMemoryError("planted");
                },
                () -> { });
        final Iterator<Runnable> next = failures.iterator();
        final SoftDevice device = device("soft-failing", carrier -> {
            next.next().run();
            return carrier;
        });
        assertThatThrownBy(device::open).isInstanceOf(IllegalStateException.class).hasMessage("planted");
        assertThatThrownBy(device::open).isInstanceOf(OutOfMemoryError.class).hasMessage("planted");
        device.open().close();
    }

    /** As over libibverbs: what goes with one context is not in the way of the other's close. */
    @Test
    void aQueuePairTakesNoCompletionQueuesOfAnotherContextOfItsDevice() throws Exception {
        final SoftDevice device = device("soft-twice", UnaryOperator.identity());
        try (Context one = device.open();
                Context other = device.open();
                ProtectionDomain pd = one.allocPd();
                CompletionQueue own = one.createCq(16, null, null);
                CompletionQueue foreign = other.createCq(16, null, null)) {
            final QpCapabilities cap = new QpCapabilities(1, 1, 1, 1, 0);
            for (final QpInitAttributes wrong :
                    List.of(QpInitAttributes.rc(foreign, own, cap), QpInitAttributes.rc(own, foreign, cap))) {
                assertThatThrownBy(() -> pd.createQp(wrong))
                        .isInstanceOfSatisfying(
                                VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
            }
            pd.createQp(QpInitAttributes.rc(own, own, cap)).close();
        }
    }

    @Test
    void theEventOfAClosedCqIsNotGiven() throws Exception {
        try (Context context = device("soft-events", UnaryOperator.identity()).open();
                CompletionChannel channel = context.createCompChannel();
                CompletionQueue second = context.createCq(16, null, channel)) {
            final CompletionQueue first = context.createCq(16, null, channel);
            completesFlushed(context, first, 1);
            completesFlushed(context, second, 1);
            first.close();
            assertThat(channel.getCqEvent(WAIT_NS)).isSameAs(second);
            assertThat(channel.getCqEvent(0)).isNull();
        }
    }

    @Test
    void anAsynchronousEventOfAnObjectThatIsDestroyedIsNotGiven() throws Exception {
        try (Context context = device("soft-async", UnaryOperator.identity()).open();
                ProtectionDomain pd = context.allocPd();
                CompletionQueue standing = context.createCq(1, null, null)) {
            final CompletionQueue full = context.createCq(1, null, null);
            completesFlushed(context, full, 2);
            completesFlushed(context, standing, 2);
            full.close();
            final SharedReceiveQueue srq = pd.createSrq(new SrqAttributes(1, 1, 0));
            final QueuePair last = pd.createQp(new QpInitAttributes(
                    standing, standing, srq, new QpCapabilities(1, 0, 1, 0, 0), QpType.RC, false));
            last.modify(new QpAttributes().qpState(QpState.INIT).pkeyIndex(0).portNum(1).accessFlags(0));
            last.modify(new QpAttributes().qpState(QpState.ERR));
            last.close();
            srq.close();
            assertThat(context.getAsyncEvent(WAIT_NS)).isEqualTo(AsyncEvent.ofCq(AsyncEventType.CQ_ERR, standing));
            assertThat(context.getAsyncEvent(0)).isNull();
        }
    }

    /** Completions for which the queue was armed: those of receives of a queue pair that fails. */
    private static void completesFlushed(final Context context, final CompletionQueue cq, final int receives) {
        final QpInitAttributes init =
                new QpInitAttributes(cq, cq, null, new QpCapabilities(1, receives, 1, 1, 0), QpType.RC, false);
        cq.reqNotify(false);
        try (Arena arena = Arena.ofConfined();
                ProtectionDomain pd = context.allocPd();
                QueuePair qp = pd.createQp(init)) {
            qp.modify(new QpAttributes().qpState(QpState.INIT).pkeyIndex(0).portNum(1).accessFlags(0));
            for (int i = 0; i < receives; i++) {
                assertThat(qp.postRecv(RecvWorkRequest.allocate(arena, 1).wrId(1).next(0))).isEqualTo(1);
            }
            qp.modify(new QpAttributes().qpState(QpState.ERR));
        }
    }

    private static CmEvent event(final CmEventChannel channel, final CmEventType type) {
        final CmEvent event = Objects.requireNonNull(channel.getEvent(WAIT_NS), "no event in time");
        assertThat(event.type()).isEqualTo(type);
        event.ack();
        return event;
    }

    private static void awaitSuccess(final CompletionQueue cq, final WorkCompletion wc) {
        final long start = System.nanoTime();
        int count = 0;
        while (count == 0 && System.nanoTime() - start < WAIT_NS) {
            count = cq.poll(wc);
        }
        assertThat(count).isEqualTo(1);
        assertThat(wc.at(0).statusName()).isEqualTo(WcStatus.SUCCESS);
    }

    /** Addresses of this process alone, so that other processes' devices do not collide with its. */
    @BeforeAll
    static void configure() {
        final int pid = (int) ProcessHandle.current().pid();
        final String net = "127." + (64 + (pid >> 8 & 63)) + "." + (pid & 255) + ".";
        System.setProperty(SoftConfig.PROPERTY, "soft0=" + net + "11, soft1=" + net + "12;mtu=1024");
    }

    @AfterAll
    static void unconfigure() {
        System.clearProperty(SoftConfig.PROPERTY);
    }

    /** Contexts of one device share its connection manager: who asked hears of every message. */
    @Test
    void eachContextThatAskedHearsOfTheDevicesMessages() {
        final List<String> first = new CopyOnWriteArrayList<>();
        final List<String> second = new CopyOnWriteArrayList<>();
        try (Context client = Devices.open("soft0");
                Context other = Devices.open("soft0");
                Context server = Devices.open("soft1")) {
            client.traceTo((step, number, ids) -> first.add(step + " " + number + " " + ids));
            other.traceTo((step, number, ids) -> second.add(step + " " + number + " " + ids));
            refused(client, server);
            // A request that was sent again has one more answer, of which the one hears just before the other.
            final long beganNs = System.nanoTime();
            List<String> before = List.copyOf(first);
            while (!before.equals(List.copyOf(second)) && System.nanoTime() - beganNs < WAIT_NS) {
                before = List.copyOf(first);
            }
            assertSentAndRefused(before);
            assertThat(second).startsWith(before.toArray(String[]::new));
            other.traceTo(null);
            refused(client, server);
            final List<String> later = new ArrayList<>(first);
            later.removeAll(before);
            assertSentAndRefused(later);
            assertThat(second).doesNotContainAnyElementsOf(later);
        }
    }

    private static void assertSentAndRefused(final List<String> heard) {
        assertThat(heard)
                .anyMatch(one -> one.startsWith("CM_SENT 16 "))
                .anyMatch(one -> one.startsWith("CM_RECEIVED 18 "));
    }

    /** Connects where nobody listens. */
    private static void refused(final Context client, final Context server) {
        try (CmEventChannel events = client.createEventChannel();
                ProtectionDomain pd = client.allocPd();
                CompletionQueue cq = client.createCq(16, null, null);
                CmId active = events.createId(CmPortSpace.TCP, null)) {
            active.resolveAddr(null, new InetSocketAddress(server.queryGid(1, 0).address(), 4242), 1000);
            event(events, CmEventType.ADDR_RESOLVED);
            active.resolveRoute(1000);
            event(events, CmEventType.ROUTE_RESOLVED);
            active.createQp(pd, QpInitAttributes.rc(cq, cq, new QpCapabilities(8, 8, 1, 1, 0)));
            active.connect(ConnectParameters.of(new byte[0]));
            event(events, CmEventType.REJECTED);
            active.destroyQp();
        }
    }

    @Test
    void connectsAndSends() {
        try (Arena arena = Arena.ofShared();
                Context client = Devices.open("soft0");
                Context server = Devices.open("soft1");
                CmEventChannel clientEvents = client.createEventChannel();
                CmEventChannel serverEvents = server.createEventChannel();
                ProtectionDomain clientPd = client.allocPd();
                ProtectionDomain serverPd = server.allocPd();
                CompletionQueue clientCq = client.createCq(16, null, null);
                CompletionQueue serverCq = server.createCq(16, null, null);
                CmId listener = serverEvents.createId(CmPortSpace.TCP, null);
                CmId active = clientEvents.createId(CmPortSpace.TCP, null)) {
            final QpCapabilities cap = new QpCapabilities(8, 8, 1, 1, 0);
            listener.bindAddr(new InetSocketAddress(server.queryGid(1, 0).address(), 0));
            listener.listen(1);
            active.resolveAddr(null, Objects.requireNonNull(listener.localAddress()), 1000);
            event(clientEvents, CmEventType.ADDR_RESOLVED);
            active.resolveRoute(1000);
            event(clientEvents, CmEventType.ROUTE_RESOLVED);
            final QueuePair clientQp = active.createQp(clientPd, QpInitAttributes.rc(clientCq, clientCq, cap));
            active.connect(ConnectParameters.of(new byte[] {1, 2, 3}));
            final CmEvent request = event(serverEvents, CmEventType.CONNECT_REQUEST);
            assertThat(request.privateData()).hasSize(56).startsWith(1, 2, 3, 0);
            try (CmId passive = request.id()) {
                final QueuePair serverQp = passive.createQp(serverPd, QpInitAttributes.rc(serverCq, serverCq, cap));
                final MemorySegment target = arena.allocate(10_000, 64);
                final MemoryRegion targetMr = serverPd.regMr(target, AccessFlags.LOCAL_WRITE);
                assertThat(serverQp.postRecv(RecvWorkRequest.allocate(arena, 1)
                                .wrId(7)
                                .sge(targetMr.addr(), 10_000, targetMr.lkey())))
                        .isEqualTo(1);
                passive.accept(ConnectParameters.of(new byte[] {9}));
                final CmEvent established = event(clientEvents, CmEventType.ESTABLISHED);
                assertThat(established.privateData()).hasSize(196).startsWith(9, 0);
                event(serverEvents, CmEventType.ESTABLISHED);

                final MemorySegment source = arena.allocate(10_000, 64);
                source.fill((byte) 0x5a);
                final MemoryRegion sourceMr = clientPd.regMr(source, 0);
                assertThat(clientQp.postSend(SendWorkRequest.allocate(arena, 1)
                                .wrId(8)
                                .opcode(WrOpcode.SEND)
                                .sendFlags(SendFlags.SIGNALED)
                                .sge(sourceMr.addr(), 10_000, sourceMr.lkey())))
                        .isEqualTo(1);
                final WorkCompletion wc = WorkCompletion.allocate(arena, 1);
                awaitSuccess(clientCq, wc);
                assertThat(wc.wrId()).isEqualTo(8);
                awaitSuccess(serverCq, wc);
                assertThat(wc.byteLen()).isEqualTo(10_000);
                assertThat(target.get(ValueLayout.JAVA_BYTE, 9_999)).isEqualTo((byte) 0x5a);

                active.disconnect();
                event(serverEvents, CmEventType.DISCONNECTED);
                event(clientEvents, CmEventType.DISCONNECTED);
                targetMr.close();
                sourceMr.close();
            }
        }
    }

    /** What its thread uses is freed behind it. */
    @Test
    void whoIsInterruptedLeavesNoThreadBehindEither() throws Exception {
        final SoftDevice device = device("interrupted", UnaryOperator.identity());
        final Context closed = device.open();
        assertThat(isRun(device)).isTrue();
        Thread.currentThread().interrupt();
        closed.close();
        assertThat(isRun(device)).isFalse();
        assertThat(Thread.interrupted()).isTrue();

        final Context killed = device.open();
        Thread.currentThread().interrupt();
        device.kill();
        assertThat(isRun(device)).isFalse();
        assertThat(Thread.interrupted()).isTrue();
        killed.close();
    }

    @Test
    void aDeviceThatItsOwnThreadClosesKeepsItsCarrierAsLongAsThatRuns() throws Exception {
        final List<String> told = new CopyOnWriteArrayList<>();
        final CountDownLatch isOver = new CountDownLatch(1);
        final SoftDevice device = device("self", carrier -> new ForwardingCarrier(carrier) {
            @Override
            public void close() {
                told.add("carrier closed by " + Thread.currentThread().getName());
                super.close();
                isOver.countDown();
            }
        });
        final Context server = device.open();
        final CmEventChannel events = server.createEventChannel();
        final CmId listener = events.createId(CmPortSpace.TCP, null);
        listener.bindAddr(new InetSocketAddress(server.queryGid(1, 0).address(), 4243));
        listener.listen(1);
        events.onEvent(() -> {
            events.onEvent(null);
            listener.close();
            events.close();
            server.close();
            told.add("device closed by " + Thread.currentThread().getName());
        });
        try (Context client = Devices.open("soft0");
                CmEventChannel clientEvents = client.createEventChannel();
                CmId active = clientEvents.createId(CmPortSpace.TCP, null)) {
            active.resolveAddr(null, Objects.requireNonNull(listener.localAddress()), 1000);
            event(clientEvents, CmEventType.ADDR_RESOLVED);
            active.resolveRoute(1000);
            event(clientEvents, CmEventType.ROUTE_RESOLVED);
            active.connect(ConnectParameters.of(new byte[0]));
            assertThat(isOver.await(WAIT_NS, TimeUnit.NANOSECONDS)).isTrue();
        }
        assertThat(told).containsExactly("device closed by vhca-self", "carrier closed by vhca-self");
    }
}
