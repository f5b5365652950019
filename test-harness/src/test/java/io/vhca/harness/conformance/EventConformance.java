package io.vhca.harness.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QpType;
import io.vhca.api.QueuePair;
import io.vhca.api.SendFlags;
import io.vhca.api.VerbsException;
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.BondContext;
import io.vhca.bond.core.BondCounters.Counter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Completion channels lose no wake-up; asynchronous events come once. */
abstract class EventConformance {
    private final DevicePair devices;

    EventConformance(final DevicePair devices) {
        this.devices = devices;
    }

    /** A connection whose server takes its receive completions on a CQ with a channel. */
    private static final class Armed implements AutoCloseable {
        final Peer client;
        final Peer server;
        final CompletionChannel channel;
        final CmId listener;
        CompletionQueue cq;
        CmId active;
        CmId passive;

        Armed(final DevicePair devices) {
            client = new Peer(devices.openClient());
            server = new Peer(devices.openServer());
            channel = server.context.createCompChannel();
            listener = Link.listen(server);
            cq = createCq();
            active = connect();
            passive = accept();
        }

        private CompletionQueue createCq() {
            return server.context.createCq(256, "armed", channel);
        }

        private CmId connect() {
            final CmId id = Link.resolve(client, Link.addressOf(listener), Link.Options.DEFAULT);
            id.connect(ConnectParameters.of(new byte[0]));
            return id;
        }

        private CmId accept() {
            final CmId id = server.event(CmEventType.CONNECT_REQUEST).id();
            id.createQp(
                    server.pd,
                    new QpInitAttributes(server.sendCq, cq, null, Peer.CAPABILITIES, QpType.RC, false));
            id.accept(ConnectParameters.of(new byte[0]));
            client.event(CmEventType.ESTABLISHED);
            server.event(CmEventType.ESTABLISHED);
            return id;
        }

        /** Another queue and another connection on the same channel, in place of the ones before. */
        void replace() {
            disconnect();
            cq = createCq();
            active = connect();
            passive = accept();
        }

        private void disconnect() {
            active.close();
            passive.close();
            cq.close();
        }

        void postRecv(final int wrId) {
            assertThat(server.postRecv(Peer.qp(passive), wrId, 0, 64)).isEqualTo(1);
        }

        void send(final int flags) {
            assertThat(Peer.qp(active).postSend(client.request(WrOpcode.SEND, SendFlags.SIGNALED | flags, 1, 0, 8)))
                    .isEqualTo(1);
            assertThat(Completion.await(client.sendCq).status()).isEqualTo(WcStatus.SUCCESS);
        }

        /** How often either end has failed over, where they are bonds. */
        long failovers() {
            return failovers(client.context) + failovers(server.context);
        }

        private static long failovers(final Context context) {
            return context instanceof BondContext bond ? bond.counters().get(Counter.FAILOVERS) : 0;
        }

        @Override
        public void close() {
            disconnect();
            listener.close();
            channel.close();
            client.close();
            server.close();
        }
    }

    @Test
    void anArmedQueueRaisesOneEvent() {
        try (Armed armed = new Armed(devices)) {
            for (int i = 0; i < 4; i++) {
                armed.postRecv(i);
            }
            armed.send(0);
            Completion.await(armed.cq);
            assertThat(armed.channel.getCqEvent(0)).isNull();
            armed.cq.reqNotify(false);
            assertThat(armed.channel.getCqEvent(0)).isNull();
            armed.send(0);
            assertThat(armed.channel.getCqEvent(Patience.NS)).isSameAs(armed.cq);
            Completion.await(armed.cq);
            armed.send(0);
            Completion.await(armed.cq);
            assertThat(armed.channel.getCqEvent(0)).isNull();
        }
    }

    @Test
    void solicitedOnlyWaitsForASolicitedMessage() {
        try (Armed armed = new Armed(devices)) {
            boolean hasFailedOver;
            do { // a failover wakes whoever waits, and a slow machine may take its path for dead
                final long before = armed.failovers();
                armed.postRecv(1);
                armed.cq.reqNotify(true);
                armed.send(0);
                Completion.await(armed.cq);
                hasFailedOver = armed.channel.getCqEvent(0) != null;
                assertThat(!hasFailedOver || armed.failovers() > before)
                        .as("an event without a failover")
                        .isTrue();
            } while (hasFailedOver);
            armed.postRecv(2);
            armed.send(SendFlags.SOLICITED);
            assertThat(armed.channel.getCqEvent(Patience.NS)).isSameAs(armed.cq);
        }
    }

    @Test
    void aThreadThatArmsPollsAndWaitsMissesNothing() throws InterruptedException {
        final int messages = 300;
        try (Armed armed = new Armed(devices)) {
            for (int i = 0; i < 64; i++) {
                armed.postRecv(i);
            }
            final AtomicInteger received = new AtomicInteger();
            final CountDownLatch done = new CountDownLatch(messages);
            final Thread receiver = Thread.ofPlatform().start(() -> receive(armed, received, messages, done));
            for (int i = 0; i < messages; i++) {
                armed.send(0);
            }
            assertThat(done.await(Patience.NS, TimeUnit.NANOSECONDS)).as("got %d", received.get()).isTrue();
            receiver.join();
        }
    }

    private static void receive(
            final Armed armed, final AtomicInteger received, final int messages, final CountDownLatch done) {
        while (received.get() < messages) {
            @Nullable Completion completion = Completion.poll(armed.cq);
            if (completion == null) {
                armed.cq.reqNotify(false);
                completion = Completion.poll(armed.cq);
                if (completion == null) {
                    Objects.requireNonNull(armed.channel.getCqEvent(Patience.NS), "no event in time");
                    continue;
                }
            }
            received.incrementAndGet();
            armed.postRecv((int) completion.wrId());
            done.countDown();
        }
    }

    @Test
    void aChannelWithQueuesIsBusy() {
        try (Armed armed = new Armed(devices)) {
            assertThat(armed.cq.channel()).isSameAs(armed.channel);
            assertThatThrownBy(armed.channel::close)
                    .isInstanceOfSatisfying(
                            VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY));
        }
    }

    @Test
    void anErrorOfTheResponderIsAnnounced() {
        Assumptions.assumeTrue(devices.traits().contains(DevicePair.Trait.RESPONDER_EVENTS));
        try (Link link = new Link(devices)) {
            link.clientQp.postSend(link.client
                    .request(WrOpcode.RDMA_WRITE, SendFlags.SIGNALED, 1, 0, 8)
                    .rdma(link.server.address(0), 0x7fff_fff0));
            assertThat(Completion.await(link.client.sendCq).status()).isEqualTo(WcStatus.REM_ACCESS_ERR);
            final QueuePair failed = link.serverQp;
            final AsyncEvent event = nextEvent(link.server);
            assertThat(event.type()).isEqualTo(AsyncEventType.QP_ACCESS_ERR);
            assertThat(event.qp()).isSameAs(failed);
        }
    }

    @Test
    void aSendQueueIsDrainedHoldsWhatIsPostedAndGoesOn() throws InterruptedException {
        Assumptions.assumeTrue(devices.traits().contains(DevicePair.Trait.DRAIN_TOLD_WHEN_EMPTY));
        try (Link link = new Link(devices)) {
            for (int i = 0; i < 4; i++) {
                link.server.postRecv(link.serverQp, i, 0, 64);
                link.client.postRecv(link.clientQp, i, 0, 64);
            }
            // A message back: only then is the passive end surely told that the connection stands.
            link.serverQp.postSend(link.server.request(WrOpcode.SEND, SendFlags.SIGNALED, 1, 0, 8));
            Completion.await(link.client.recvCq);
            link.clientQp.postSend(link.client.request(WrOpcode.SEND, 0, 1, 0, 8));
            Completion.await(link.server.recvCq);
            final CountDownLatch told = new CountDownLatch(1);
            link.clientQp.modify(new QpAttributes().qpState(QpState.SQD).enSqdAsyncNotify(1));
            assertThat(link.client.context.onAsyncEvent(told::countDown)).isTrue();
            assertThat(told.await(Patience.NS, TimeUnit.NANOSECONDS)).as("whoever listens is told").isTrue();
            final AsyncEvent drained = nextEvent(link.client);
            assertThat(drained.type()).isEqualTo(AsyncEventType.SQ_DRAINED);
            assertThat(drained.qp()).isSameAs(link.clientQp);
            assertThat(link.clientQp.state()).isEqualTo(QpState.SQD);
            assertThat(link.clientQp.postSend(link.client.request(WrOpcode.SEND, SendFlags.SIGNALED, 2, 0, 8)))
                    .isEqualTo(1);
            for (int i = 0; i < 2; i++) {
                link.serverQp.postSend(link.server.request(WrOpcode.SEND, SendFlags.SIGNALED, 1, 0, 8));
                assertThat(Completion.await(link.client.recvCq).status()).isEqualTo(WcStatus.SUCCESS);
            }
            assertThat(Completion.poll(link.server.recvCq)).as("it waits").isNull();
            link.clientQp.modify(new QpAttributes().qpState(QpState.RTS));
            assertThat(Completion.await(link.server.recvCq).wrId()).isEqualTo(1);
            assertThat(Completion.await(link.client.sendCq).wrId()).isEqualTo(2);
        }
    }

    /** Whoever is told of the events of a channel need not look for them. */
    @Test
    void whoAsksToBeToldOfEventsNeedNotLookForThem() throws InterruptedException {
        try (Peer client = new Peer(devices.openClient());
                Peer server = new Peer(devices.openServer())) {
            final Semaphore atClient = new Semaphore(0);
            final Semaphore atServer = new Semaphore(0);
            assertThat(client.channel.onEvent(atClient::release)).isTrue();
            final CmId listener = Link.listen(server);
            final CmId active = Link.resolve(client, Link.addressOf(listener), Link.Options.DEFAULT);
            active.connect(ConnectParameters.of(new byte[0]));
            // Of an event that is there already a new listener is told as well.
            assertThat(server.channel.onEvent(atServer::release)).isTrue();
            final CmId passive = told(server, atServer, CmEventType.CONNECT_REQUEST);
            passive.createQp(server.pd, server.qpAttributes(false));
            passive.accept(ConnectParameters.of(new byte[0]));
            told(client, atClient, CmEventType.ESTABLISHED);
            told(server, atServer, CmEventType.ESTABLISHED);
            active.disconnect();
            told(server, atServer, CmEventType.DISCONNECTED);
            active.close();
            passive.close();
            listener.close();
        }
    }

    /** Looks only when told that there is something. */
    private static CmId told(final Peer peer, final Semaphore telling, final CmEventType type)
            throws InterruptedException {
        CmEvent event;
        while ((event = peer.channel.getEvent(0)) == null) {
            // Of what came since it was looked a listener is told as well.
            assertThat(peer.channel.onEvent(telling::release)).isTrue();
            assertThat(telling.tryAcquire(Patience.NS, TimeUnit.NANOSECONDS)).as("told of %s", type).isTrue();
        }
        event.ack();
        assertThat(event.type()).isEqualTo(type);
        return event.id();
    }

    /** The next event that is not about a connection being made. */
    private static AsyncEvent nextEvent(final Peer peer) {
        while (true) {
            final AsyncEvent event =
                    Objects.requireNonNull(peer.context.getAsyncEvent(Patience.NS), "no event in time");
            peer.context.ackAsyncEvent(event);
            if (event.type() != AsyncEventType.COMM_EST) {
                return event;
            }
        }
    }

    /** Who sleeps between events must not be woken for ever by a queue pair in error that has nothing left. */
    @Test
    void aQueuePairInErrorWakesOnlyForWhatIsPostedToIt() {
        try (Armed armed = new Armed(devices)) {
            armed.postRecv(1);
            Peer.qp(armed.passive).modify(new QpAttributes().qpState(QpState.ERR));
            assertThat(Completion.await(armed.cq).status()).isEqualTo(WcStatus.WR_FLUSH_ERR);
            armed.cq.reqNotify(false);
            if (armed.channel.getCqEvent(0) != null) {
                assertThat(Completion.poll(armed.cq)).as("the event was of the flush").isNull();
                armed.cq.reqNotify(false);
                assertThat(armed.channel.getCqEvent(0)).as("nothing is left").isNull();
            }
            armed.postRecv(2);
            assertThat(armed.channel.getCqEvent(Patience.NS)).isSameAs(armed.cq);
            assertThat(Completion.await(armed.cq).wrId()).isEqualTo(2);
        }
    }

    @Test
    void whoWaitsForCompletionsIsWokenByAnotherThreadsWord() throws InterruptedException {
        try (Armed armed = new Armed(devices)) {
            final Semaphore answers = new Semaphore(0);
            final Thread waiter = Thread.ofPlatform().start(() -> {
                while (armed.channel.getCqEvent(Long.MAX_VALUE) == null) {
                    answers.release();
                }
            });
            for (int i = 0; i < 3; i++) {
                // Whether he waits already or is about to.
                armed.channel.wakeUp();
                assertThat(answers.tryAcquire(Patience.NS, TimeUnit.NANOSECONDS)).as("word %d", i).isTrue();
            }
            armed.cq.reqNotify(false);
            armed.postRecv(1);
            armed.send(0);
            waiter.join();
            assertThat(answers.availablePermits()).as("one answer a word").isZero();
            armed.channel.wakeUp();
            armed.channel.wakeUp();
            assertThat(armed.channel.getCqEvent(0)).as("who does not wait needs no word").isNull();
            assertThat(armed.channel.getCqEvent(Patience.NS)).as("and leaves it to who does").isNull();
        }
    }

    /** Threads that wait on a channel until told to end; each that heard of an event waits until it may go on. */
    private record Waiters(
            CompletionChannel channel, List<Thread> threads, Semaphore heard, Semaphore goOn, AtomicBoolean isOver) {
        static Waiters start(final CompletionChannel channel, final int count) {
            final Waiters made = new Waiters(
                    channel, new ArrayList<>(), new Semaphore(0), new Semaphore(0), new AtomicBoolean());
            for (int i = 0; i < count; i++) {
                made.threads.add(Thread.ofPlatform().start(made::listen));
            }
            return made;
        }

        private void listen() {
            while (!isOver.get()) {
                if (channel.getCqEvent(Long.MAX_VALUE) != null) {
                    heard.release();
                    goOn.acquireUninterruptibly();
                }
            }
        }

        void end() throws InterruptedException {
            assertThat(threads).allMatch(Thread::isAlive);
            isOver.set(true);
            goOn.release(threads.size());
            for (final Thread thread : threads) {
                while (thread.isAlive()) {
                    channel.wakeUp();
                    thread.join(1);
                }
            }
        }
    }

    private void eachEventIsHeardOnceBy(final int threads) throws InterruptedException {
        try (Armed armed = new Armed(devices)) {
            final Waiters waiters = Waiters.start(armed.channel, threads);
            for (int i = 0; i < 100; i++) {
                armed.cq.reqNotify(false);
                armed.postRecv(i);
                armed.send(0);
                assertThat(waiters.heard.tryAcquire(Patience.NS, TimeUnit.NANOSECONDS))
                        .as("event %d", i)
                        .isTrue();
                Completion.await(armed.cq);
                waiters.goOn.release();
            }
            waiters.end();
            assertThat(waiters.heard.availablePermits()).as("each once").isZero();
            assertThat(armed.channel.getCqEvent(0)).isNull();
        }
    }

    @Test
    void whoWaitsAloneHearsOfEachEventOnce() throws InterruptedException {
        eachEventIsHeardOnceBy(1);
    }

    @Test
    void ofSeveralWhoWaitOneHearsOfEachEvent() throws InterruptedException {
        eachEventIsHeardOnceBy(3);
    }

    /** What was heard of a queue is not taken for what another one tells, which may have its place in memory. */
    @Test
    void aQueueInTheOnlyOnesPlaceIsHeardOf() throws InterruptedException {
        try (Armed armed = new Armed(devices)) {
            for (int i = 0; i < 5; i++) {
                final AtomicReference<@Nullable CompletionQueue> heard = new AtomicReference<>();
                final Thread waiter = Thread.ofPlatform().start(() -> heard.set(armed.channel.getCqEvent(Patience.NS)));
                armed.cq.reqNotify(false);
                armed.postRecv(i);
                armed.send(0);
                waiter.join();
                assertThat(heard.get()).isSameAs(armed.cq);
                Completion.await(armed.cq);
                armed.replace();
            }
        }
    }

    @Test
    void aListenerIsToldOfCompletionEventsEachTimeItAsks() throws InterruptedException {
        try (Armed armed = new Armed(devices)) {
            final Semaphore telling = new Semaphore(0);
            for (int i = 1; i <= 3; i++) {
                armed.cq.reqNotify(false);
                assertThat(armed.channel.onEvent(telling::release)).isTrue();
                armed.postRecv(i);
                armed.send(0);
                CompletionQueue heard;
                while ((heard = armed.channel.getCqEvent(0)) == null) {
                    assertThat(telling.tryAcquire(Patience.NS, TimeUnit.NANOSECONDS)).as("told of %d", i).isTrue();
                    assertThat(armed.channel.onEvent(telling::release)).isTrue();
                }
                assertThat(heard).isSameAs(armed.cq);
                assertThat(Completion.await(armed.cq).wrId()).isEqualTo(i);
            }
            assertThat(armed.channel.onEvent(null)).isTrue();
        }
    }

    /** Of what is there already he is told at once. */
    @Test
    void aListenerThatComesLateIsToldOfTheCompletionEventThatIsThere() throws InterruptedException {
        try (Armed armed = new Armed(devices)) {
            final Semaphore telling = new Semaphore(0);
            armed.cq.reqNotify(false);
            armed.postRecv(1);
            armed.send(0);
            assertThat(Completion.await(armed.cq).wrId()).isEqualTo(1);
            assertThat(armed.channel.onEvent(telling::release)).isTrue();
            assertThat(telling.tryAcquire(Patience.NS, TimeUnit.NANOSECONDS)).isTrue();
            assertThat(armed.channel.getCqEvent(Patience.NS)).isSameAs(armed.cq);
        }
    }

    @Test
    void aChannelThatIsClosedWakesItsWaiter() throws InterruptedException {
        try (Peer peer = new Peer(devices.openClient())) {
            final CompletionChannel channel = peer.context.createCompChannel();
            final CountDownLatch started = new CountDownLatch(1);
            final CountDownLatch woken = new CountDownLatch(1);
            final Thread waiter = Thread.ofPlatform().start(() -> {
                started.countDown();
                if (channel.getCqEvent(Long.MAX_VALUE) == null) {
                    woken.countDown();
                }
            });
            started.await();
            channel.close();
            assertThat(woken.await(Patience.NS, TimeUnit.NANOSECONDS)).isTrue();
            waiter.join();
        }
    }
}
