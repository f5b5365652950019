package io.vhca.physical.verbs;

import io.vhca.api.NativeMemory;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.physical.ffm.Posix;
import io.vhca.physical.rdmacore.rdma_cm_event;
import io.vhca.physical.rdmacore.rdma_event_channel;
import io.vhca.physical.verbs.lib.EventAgent;
import io.vhca.physical.verbs.lib.GidTable;
import io.vhca.physical.verbs.lib.RdmaCm;
import io.vhca.physical.verbs.lib.SockAddr;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * Learns that a device goes away from an id of the connection manager that is bound to it: a removal is told to ids at
 * once (DEVICE_REMOVAL), while the asynchronous event DEVICE_FATAL comes only from drivers that take a device from its
 * users by force. Control calls; its events are read by the {@link EventAgent}.
 *
 * <p>A device without an IP address, or a host without rdma_ucm, has no watch; then DEVICE_FATAL alone tells.
 */
final class RemovalWatch {
    private final VerbsContext context;
    private final long channel;
    private final long id;
    private EventAgent.@Nullable Source source;

    private RemovalWatch(final VerbsContext context, final long channel, final long id) {
        this.context = context;
        this.channel = channel;
        this.id = id;
    }

    /** Null where there is nothing to watch by. */
    static @Nullable RemovalWatch start(final VerbsContext context) {
        final GidTable.Entry ip = GidTable.of(context.address()).ip(1);
        if (ip == null) {
            return null;
        }
        final long channel = RdmaCm.CREATE_EVENT_CHANNEL.pointer();
        if (channel < 0) {
            return null;
        }
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG);
            if (RdmaCm.CREATE_ID.status(channel, out.address(), 0, CmPortSpace.TCP.code()) < 0) {
                RdmaCm.DESTROY_EVENT_CHANNEL.value(channel);
                return null;
            }
            final long id = out.get(ValueLayout.JAVA_LONG, 0);
            final long own = SockAddr.write(arena, ip.gid().address(), 0).address();
            final int fd = NativeMemory.getInt(channel + rdma_event_channel.fd$offset());
            if (RdmaCm.BIND_ADDR.status(id, own) < 0 || Posix.setNonBlocking(fd) < 0) {
                RdmaCm.DESTROY_ID.value(id);
                RdmaCm.DESTROY_EVENT_CHANNEL.value(channel);
                return null;
            }
            final RemovalWatch watch = new RemovalWatch(context, channel, id);
            try {
                watch.source = EventAgent.shared().register(fd, watch::read);
            } catch (final RuntimeException | Error e) {
                RdmaCm.DESTROY_ID.value(id);
                RdmaCm.DESTROY_EVENT_CHANNEL.value(channel);
                throw e;
            }
            return watch;
        }
    }

    private void read() {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG);
            while (RdmaCm.GET_CM_EVENT.status(channel, out.address()) == 0) {
                final long event = out.get(ValueLayout.JAVA_LONG, 0);
                final int type = NativeMemory.getInt(event + rdma_cm_event.event$offset());
                RdmaCm.ACK_CM_EVENT.value(event);
                if (CmEventType.fromCode(type) == CmEventType.DEVICE_REMOVAL) {
                    context.die();
                }
            }
        }
    }

    void close() {
        final EventAgent.Source registered = source;
        if (registered != null) {
            EventAgent.shared().unregister(registered);
            source = null;
            RdmaCm.DESTROY_ID.value(id);
            RdmaCm.DESTROY_EVENT_CHANNEL.value(channel);
        }
    }

    /**
     * Makes librdmacm look at the devices again: it keeps a device that it once opened, and with it the kernel's
     * removal waiting, until it is asked for the list. It looks away when no device at all is left.
     */
    static void forgetDeadDevices() {
        final long list = RdmaCm.GET_DEVICES.pointer(0);
        if (list > 0) {
            RdmaCm.FREE_DEVICES.value(list);
        }
    }
}
