package io.vhca.physical.verbs;

import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.physical.rdmacore.rdma_cm_event;
import io.vhca.physical.rdmacore.rdma_event_channel;
import io.vhca.physical.verbs.lib.ConnParamCodec;
import io.vhca.physical.verbs.lib.RdmaCm;
import io.vhca.physical.verbs.lib.Readiness;
import io.vhca.physical.verbs.lib.Teller;
import io.vhca.physical.verbs.lib.VerbFailure;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * An event channel of librdmacm. Its descriptor is non-blocking; waiting is done in poll(2), for a listener by the
 * provider's agent. Events are copied and acknowledged to the library as they are read, so that destroying an id never
 * waits for an application. Any thread.
 */
final class VerbsEventChannel implements CmEventChannel {
    private final VerbsContext context;
    private final long address;
    private final Readiness readiness;
    /** By the address of the {@code struct rdma_cm_id}. */
    private final ConcurrentMap<Long, VerbsCmId> ids = new ConcurrentHashMap<>();

    private final Children users = new Children();
    private final Teller teller;

    private VerbsEventChannel(final VerbsContext context, final long address) {
        this.context = context;
        this.address = address;
        final int fd = NativeMemory.getInt(address + rdma_event_channel.fd$offset());
        readiness = new Readiness("createEventChannel", context.toString(), fd);
        teller = new Teller(fd, readiness);
    }

    static VerbsEventChannel create(final VerbsContext context) {
        final long address = RdmaCm.CREATE_EVENT_CHANNEL.pointer();
        if (address < 0) {
            throw VerbFailure.of("createEventChannel", address, context.toString());
        }
        try {
            final VerbsEventChannel channel = new VerbsEventChannel(context, address);
            context.channels().add(channel);
            return channel;
        } catch (final RuntimeException e) {
            RdmaCm.DESTROY_EVENT_CHANNEL.value(address);
            throw e;
        }
    }

    VerbsContext context() {
        return context;
    }

    /** Makes an id on it, which is not closed meanwhile. */
    @Override
    public synchronized CmId createId(final CmPortSpace portSpace, final @Nullable Object idContext) {
        context.requireLive("createId");
        if (!readiness.enter()) {
            throw VerbFailure.closed("createId", toString());
        }
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG);
            final int failed = RdmaCm.CREATE_ID.status(address, out.address(), 0, portSpace.code());
            if (failed < 0) {
                throw VerbFailure.of("createId", failed, toString());
            }
            return adopt(new VerbsCmId(this, out.get(ValueLayout.JAVA_LONG, 0), portSpace, idContext, CmIdState.IDLE));
        } finally {
            readiness.leave();
        }
    }

    private VerbsCmId adopt(final VerbsCmId id) {
        ids.put(id.address(), id);
        users.add(id);
        context.children().add(id);
        return id;
    }

    /** An id is about to be destroyed: no event finds it any more. */
    void forget(final VerbsCmId id) {
        ids.remove(id.address(), id);
    }

    /** An id was destroyed. */
    void destroyed(final VerbsCmId id) {
        users.remove(id);
        context.children().remove(id);
    }

    @Override
    public @Nullable CmEvent getEvent(final long timeoutNs) {
        if (!readiness.enter()) {
            return null;
        }
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG);
            final long startNs = System.nanoTime();
            while (true) {
                final int failed = RdmaCm.GET_CM_EVENT.status(address, out.address());
                if (failed == 0) {
                    final CmEvent event = take(out.get(ValueLayout.JAVA_LONG, 0));
                    if (event != null) {
                        return event;
                    }
                } else if (failed != -Errno.EAGAIN && failed != -VerbFailure.EINTR) {
                    throw VerbFailure.of("getCmEvent", failed, toString());
                } else if (!readiness.await(startNs, timeoutNs)) {
                    return null;
                }
            }
        } finally {
            readiness.leave();
        }
    }

    @Override
    public boolean onEvent(final @Nullable Runnable told) {
        teller.onReadable(told);
        return true;
    }

    /** Copies an event and acknowledges it; null when its id is being destroyed. */
    private @Nullable CmEvent take(final long address) {
        try {
            final MemorySegment event = NativeMemory.segment(address, rdma_cm_event.layout().byteSize());
            final CmEventType type = CmEventType.fromCode(rdma_cm_event.event(event));
            return type == CmEventType.CONNECT_REQUEST ? request(event) : other(type, event);
        } finally {
            RdmaCm.ACK_CM_EVENT.value(address);
        }
    }

    private @Nullable CmEvent request(final MemorySegment event) {
        final VerbsCmId listener = ids.get(rdma_cm_event.listen_id(event).address());
        final long address = rdma_cm_event.id(event).address();
        if (listener == null) {
            new VerbsCmId(this, address, CmPortSpace.TCP, null, CmIdState.REQUESTED).discard();
            return null;
        }
        final VerbsCmId id = adopt(
                new VerbsCmId(this, address, listener.portSpace(), listener.idContext(), CmIdState.REQUESTED));
        final ConnectParameters parameters = ConnParamCodec.read(event, id.portSpace());
        id.requested(parameters);
        return new VerbsCmEvent(
                CmEventType.CONNECT_REQUEST,
                id,
                listener,
                rdma_cm_event.status(event),
                ConnParamCodec.readPrivateData(event),
                parameters);
    }

    private @Nullable CmEvent other(final CmEventType raw, final MemorySegment event) {
        final VerbsCmId id = ids.get(rdma_cm_event.id(event).address());
        if (id == null) {
            return null;
        }
        final int status = rdma_cm_event.status(event);
        final CmEventType type = id.onEvent(raw);
        if (type == null) {
            return null;
        }
        if (type == CmEventType.DEVICE_REMOVAL) {
            context.die();
        }
        return new VerbsCmEvent(
                type,
                id,
                null,
                type == raw || type == CmEventType.ESTABLISHED ? status : -Errno.EIO,
                ConnParamCodec.readPrivateData(event),
                id.ofPeer(type, ConnParamCodec.read(event, id.portSpace())));
    }

    @Override
    public void close() {
        if (beginClose()) {
            teller.close();
            context.postponedIds().destroyThoseOf(this);
            RdmaCm.DESTROY_EVENT_CHANNEL.value(address);
            context.channels().remove(this);
        }
    }

    /** True for who is to destroy it: it has no ids, and nobody makes one any more. */
    private synchronized boolean beginClose() {
        users.requireNone("destroyEventChannel", this);
        return readiness.close();
    }

    @Override
    public String toString() {
        return context + " event channel 0x" + Long.toHexString(address);
    }
}
