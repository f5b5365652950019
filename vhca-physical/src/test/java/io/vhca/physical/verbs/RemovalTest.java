package io.vhca.physical.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.AccessFlags;
import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.Device;
import io.vhca.api.Devices;
import io.vhca.api.Errno;
import io.vhca.api.MemoryRegion;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QueuePair;
import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
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
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * A soft RoCE device is really deleted while it works, and added again under another name: {@code
 * -Dvhca.verbs.removal=rxe1,eth1} names it and its interface. As root, where nobody else uses the device; another RDMA
 * device must remain, or librdmacm keeps this one.
 */
@EnabledIfSystemProperty(
        named = "vhca.verbs.removal",
        matches = ".+,.+",
        disabledReason = "SKIPPED: no device to delete was named by -Dvhca.verbs.removal=DEVICE,INTERFACE")
class RemovalTest {
    private static final long WAIT_NS = TimeUnit.SECONDS.toNanos(30);
    private static final int RECEIVES = 4;

    private final String name = System.getProperty("vhca.verbs.removal", "").split(",")[0];
    private final String netdev = System.getProperty("vhca.verbs.removal", "").split(",")[1];

    /** A connection whose ends are both on the device. */
    private static final class Loop {
        final Arena arena = Arena.ofShared();
        final Context context;
        final CmEventChannel events;
        final ProtectionDomain pd;
        final CompletionChannel channel;
        final CompletionQueue cq;
        final MemoryRegion region;
        final CmId listener;
        final CmId active;
        final CmId passive;

        Loop(final Context context) {
            this.context = context;
            events = context.createEventChannel();
            pd = context.allocPd();
            channel = context.createCompChannel();
            cq = context.createCq(64, null, channel);
            region = pd.regMr(arena.allocate(4096, 4096), AccessFlags.LOCAL_WRITE);
            listener = events.createId(CmPortSpace.TCP, null);
            listener.bindAddr(new InetSocketAddress(context.ipGid(1).address(), 0));
            listener.listen(1);
            active = events.createId(CmPortSpace.TCP, null);
            active.resolveAddr(null, Objects.requireNonNull(listener.localAddress()), 2000);
            expect(CmEventType.ADDR_RESOLVED);
            active.resolveRoute(2000);
            expect(CmEventType.ROUTE_RESOLVED);
            active.createQp(pd, attributes());
            active.connect(ConnectParameters.of(new byte[0]));
            passive = expect(CmEventType.CONNECT_REQUEST).id();
            passive.createQp(pd, attributes());
            passive.accept(ConnectParameters.of(new byte[0]));
            expect(CmEventType.ESTABLISHED);
            expect(CmEventType.ESTABLISHED);
        }

        private QpInitAttributes attributes() {
            return QpInitAttributes.rc(cq, cq, new QpCapabilities(8, 8, 1, 1, 0));
        }

        private CmEvent expect(final CmEventType type) {
            final CmEvent event = Objects.requireNonNull(events.getEvent(WAIT_NS), "no " + type);
            assertThat(event.type()).isEqualTo(type);
            return event;
        }

        int postRecv(final QueuePair qp) {
            return qp.postRecv(RecvWorkRequest.allocate(arena, 1).sge(region.addr(), 8, region.lkey()));
        }

        int postSend(final QueuePair qp) {
            return qp.postSend(SendWorkRequest.allocate(arena, 1)
                    .opcode(WrOpcode.SEND)
                    .sendFlags(SendFlags.SIGNALED)
                    .sge(region.addr(), 8, region.lkey()));
        }

        void close() {
            active.close();
            passive.close();
            listener.close();
            events.close();
            cq.close();
            channel.close();
            region.close();
            pd.close();
            context.close();
            context.close();
            arena.close();
        }
    }

    private static Process rdma(final String... words) throws IOException {
        return new ProcessBuilder(words).inheritIO().start();
    }

    private static void expectErrno(final ThrowingCallable call, final int errno) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(Errno.name(e.errno())).isEqualTo(Errno.name(errno)));
    }

    private static void awaitFatal(final Context context) {
        AsyncEvent event = context.getAsyncEvent(WAIT_NS);
        while (event != null && event.type() != AsyncEventType.DEVICE_FATAL) {
            event = context.getAsyncEvent(WAIT_NS);
        }
        assertThat(event).as("DEVICE_FATAL").isNotNull();
    }

    /** Every receive comes back in error, or polling answers EIO. */
    private static void expectFlushed(final Loop loop, final int count) {
        final WorkCompletion wc = WorkCompletion.allocate(loop.arena, 1);
        final long startNs = System.nanoTime();
        int flushed = 0;
        while (flushed < count) {
            final int polled = loop.cq.poll(wc);
            if (polled < 0) {
                assertThat(polled).isEqualTo(-Errno.EIO);
                return;
            }
            if (polled > 0) {
                assertThat(wc.statusName()).isNotEqualTo(WcStatus.SUCCESS);
                flushed++;
            }
            assertThat(System.nanoTime() - startNs).as("%d of %d flushed", flushed, count).isLessThan(WAIT_NS);
        }
    }

    @Test
    void aDeletedDeviceIsAZombieAndComesBackByItsGuid() throws IOException, InterruptedException {
        final Device device = Devices.byName(name);
        final Loop loop = new Loop(device.open());
        final Context idle = device.open();
        final QueuePair qp = Objects.requireNonNull(loop.passive.qp());
        for (int i = 0; i < RECEIVES; i++) {
            assertThat(loop.postRecv(qp)).isEqualTo(1);
        }
        final Process deletion = rdma("rdma", "link", "del", name);
        awaitFatal(loop.context);
        awaitFatal(idle);
        expectZombie(loop, qp);
        assertThat(idle.getAsyncEvent(0)).as("DEVICE_FATAL a second time").isNull();
        assertThat(loop.context.getAsyncEvent(0)).as("DEVICE_FATAL a second time").isNull();
        loop.close();
        idle.close();
        assertThat(deletion.waitFor(30, TimeUnit.SECONDS)).as("the kernel lets the device go").isTrue();
        expectErrno(device::open, Errno.ENODEV);

        final String newName = name + "new";
        assertThat(rdma("rdma", "link", "add", newName, "type", "rxe", "netdev", netdev).waitFor()).isZero();
        final Device back = Devices.byName(newName);
        assertThat(back.nodeGuid()).isEqualTo(device.nodeGuid());
        final Loop again = new Loop(device.open());
        assertThat(again.postRecv(Objects.requireNonNull(again.passive.qp()))).isEqualTo(1);
        assertThat(again.postSend(Objects.requireNonNull(again.active.qp()))).isEqualTo(1);
        again.close();
    }

    private static void expectZombie(final Loop loop, final QueuePair qp) {
        assertThat(loop.postSend(qp)).isEqualTo(-Errno.EIO);
        assertThat(loop.postRecv(qp)).isEqualTo(-Errno.EIO);
        expectFlushed(loop, RECEIVES);
        assertThat(loop.channel.getCqEvent(Long.MAX_VALUE)).isNull();
        expectErrno(loop.context::allocPd, Errno.EIO);
        expectErrno(() -> loop.context.queryPort(1), Errno.EIO);
        expectErrno(loop.context::queryDevice, Errno.EIO);
        expectErrno(qp::query, Errno.EIO);
        expectErrno(() -> loop.events.createId(CmPortSpace.TCP, null), Errno.EIO);
        expectErrno(() -> loop.active.connect(ConnectParameters.of(new byte[0])), Errno.EIO);
        expectErrno(loop.pd::close, Errno.EBUSY);
    }
}
