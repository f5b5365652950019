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
import io.vhca.physical.soft.cm.message.QpEnd;
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

/** A manager with a listener, between a network and an application that a test plays both. */
final class StrangerWorld extends HandDrivenHost {
    static final Gid PEER = Gid.of(InetAddress.ofLiteral("10.0.0.2"));
    static final int PORT = 7471;
    static final int OWN_QP = 0x55;
    static final CmLimits LIMITS = CmLimits.DEFAULT;
    static final long MS = 1_000_000L;

    static Gid stranger(final int number) {
        return new Gid(0, 0xffff_0000_0000L | 0x0b00_0000L + number);
    }

    /** A message that went to an address. */
    record Sent(Gid to, CmMessage message, ByteBuffer mad) {}

    final List<Sent> sent = new ArrayList<>();
    final List<CmEvent> events = new ArrayList<>();
    final CommunicationManager manager =
            new CommunicationManager(this, CmConfig.DEFAULT, new SplittableRandom(20_261_122L));
    final Context context = (Context) Proxy.newProxyInstance(
            Context.class.getClassLoader(), new Class<?>[] {Context.class}, (self, method, args) -> null);
    final CmEventChannel channel = manager.createChannel(context);
    /** What the application does about a request. */
    Consumer<CmId> onRequest = id -> {};

    StrangerWorld(final int backlog) {
        listen(CmPortSpace.TCP, backlog);
    }

    void listen(final CmPortSpace space, final int backlog) {
        final CmId listener = channel.createId(space, null);
        listener.bindAddr(new InetSocketAddress(HandDrivenHost.ADDRESS.address(), PORT));
        listener.listen(backlog);
    }

    void deliver(final Gid source, final byte[] mad) {
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

    void serve() {
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

    /** The same; the application does not look. */
    void ask(final Gid source, final int commId, final int qpNum) {
        arrive(source, req(commId, qpNum));
        manager.doWork(nowNs);
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

    /** Asks for a connection; nobody has answered. */
    CmId connect(final Gid to) {
        final CmId id = channel.createId(CmPortSpace.TCP, null);
        id.resolveAddr(null, new InetSocketAddress(to.address(), PORT), 1000);
        id.resolveRoute(1000);
        id.connect(ConnectParameters.of(new byte[0]));
        return id;
    }

    static void accept(final CmId id) {
        id.accept(new ConnectParameters(new byte[0], 0, 0, 0, 0, OWN_QP, 0));
    }

    @Override
    public void sendMad(final Gid destination, final byte[] mad) {
        sent.add(new Sent(destination, Objects.requireNonNull(CmMessage.read(mad)), ByteBuffer.wrap(mad)));
    }
}
