package io.vhca.disni;

import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpType;
import io.vhca.api.QueuePair;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.disni.EventChannel.Id;
import java.lang.foreign.ValueLayout;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What DiSNI asks of librdmacm, over vhca-api. Any thread. Objects are numbers of the {@link HandleTable}; what fails
 * throws {@link VerbsException}, and leaves things as they were.
 */
final class CmCalls {
    /** DiSNI passes no number of SGEs; its native library takes this. */
    private static final int SGES = 4;
    /** What a program gets that asked for no retries: DiSNI's parameters are 0 where it set none. */
    private static final int RETRIES = 7;

    private final HandleTable handles;
    private final Supplier<OpenDevice> device;

    CmCalls(final HandleTable handles, final Supplier<OpenDevice> device) {
        this.handles = handles;
        this.device = device;
    }

    long createEventChannel() {
        return handles.put(new EventChannel(handles, device.get().context().createEventChannel()));
    }

    /** Closes the channel, after its last id where there are some; the number is no longer valid either way. */
    void destroyEventChannel(final long handle) {
        final EventChannel channel = handles.require("destroyEventChannel", handle, EventChannel.class);
        handles.remove(handle);
        channel.close();
    }

    /** DiSNI's native library makes ids of RDMA_PS_TCP whatever it is asked for; so does this. */
    long createId(final long handle) {
        final EventChannel channel = handles.require("createId", handle, EventChannel.class);
        return channel.create("createId", () -> channel.cm().createId(CmPortSpace.TCP, null)).handle();
    }

    /** Destroys the id, and the queue pair that it still has. */
    void destroyId(final long handle) {
        id("destroyId", handle).destroy();
    }

    long createQp(
            final long idHandle,
            final long pdHandle,
            final long sendCqHandle,
            final long recvCqHandle,
            final int type,
            final int maxSendWr,
            final int maxRecvWr,
            final int maxInlineData) {
        final String verb = "createQp";
        final Id id = id(verb, idHandle);
        final int sges = Math.min(SGES, device.get().attributes().maxSge());
        final QpInitAttributes attributes = new QpInitAttributes(
                handles.require(verb, sendCqHandle, VerbsCalls.Cq.class).queue,
                handles.require(verb, recvCqHandle, VerbsCalls.Cq.class).queue,
                null,
                // A program that only receives asks for no sends: a queue pair has at least one.
                new QpCapabilities(Math.max(1, maxSendWr), Math.max(1, maxRecvWr), sges, sges, maxInlineData),
                QpType.fromCode(type),
                false);
        final QueuePair qp = id.cm.createQp(handles.require(verb, pdHandle, ProtectionDomain.class), attributes);
        final long handle = handles.put(qp);
        id.qp(handle);
        return handle;
    }

    void destroyQp(final long idHandle) {
        final Id id = id("destroyQp", idHandle);
        handles.remove(id.takeQp());
        id.cm.destroyQp();
    }

    void bindAddr(final long idHandle, final long address) {
        id("bindAddr", idHandle).cm.bindAddr(SocketAddress.read("bindAddr", address));
    }

    void listen(final long idHandle, final int backlog) {
        id("listen", idHandle).cm.listen(backlog);
    }

    /** The source is the device's own: DiSNI passes none. */
    void resolveAddr(final long idHandle, final long destination, final int timeoutMs) {
        id("resolveAddr", idHandle)
                .cm
                .resolveAddr(null, SocketAddress.read("resolveAddr", destination), timeoutMs);
    }

    void resolveRoute(final long idHandle, final int timeoutMs) {
        id("resolveRoute", idHandle).cm.resolveRoute(timeoutMs);
    }

    /**
     * The next event, acknowledged at once as DiSNI's native library does; what is about an id that was destroyed
     * meanwhile is passed over. It waits for one also where the thread is interrupted, which it still is then.
     *
     * @param listenAt where the listener's number goes, 8 bytes
     * @param idAt     where the id's number goes, 8 bytes
     * @return the event's code ({@code enum rdma_cm_event_type}), -1 for none in that time
     */
    int getEvent(final long handle, final long listenAt, final long idAt, final int timeoutMs) {
        final EventChannel channel = handles.require("getCmEvent", handle, EventChannel.class);
        final long timeoutNs = Waiting.ns(timeoutMs);
        final long beganNs = System.nanoTime();
        for (CmEvent event = next(handle, channel, timeoutNs);
                event != null;
                event = next(handle, channel, Waiting.leftNs(timeoutNs, beganNs))) {
            event.ack();
            final long id = event.type() == CmEventType.CONNECT_REQUEST
                    ? asked(channel, event.id())
                    : channel.handle(event.id());
            if (id != HandleTable.NONE) {
                NativeMemory.putLong(listenAt, channel.handle(event.listenId()));
                NativeMemory.putLong(idAt, id);
                return event.type().code();
            }
        }
        return -1;
    }

    private @Nullable CmEvent next(final long handle, final EventChannel channel, final long timeoutNs) {
        return Waiting.await(
                timeoutNs, channel.cm()::getEvent, () -> handles.get(handle, EventChannel.class) == channel);
    }

    private static long asked(final EventChannel channel, final CmId id) {
        try {
            return channel.add("getCmEvent", id).handle();
        } catch (final VerbsException e) {
            // The channel is being destroyed: nobody will answer.
            channel.turnAway(id);
            return HandleTable.NONE;
        }
    }

    void connect(
            final long idHandle, final int retries, final int rnrRetries, final long dataAddress, final int dataBytes) {
        final Id id = id("connect", idHandle);
        if (dataBytes < 0) {
            throw new VerbsException("connect", Errno.EINVAL, "DiSNI", dataBytes + " bytes of private data");
        }
        final byte[] data = dataAddress == 0 || dataBytes == 0
                ? new byte[0]
                : NativeMemory.segment(dataAddress, dataBytes).toArray(ValueLayout.JAVA_BYTE);
        id.cm.connect(parameters(data, retries, rnrRetries));
    }

    void accept(final long idHandle, final int retries, final int rnrRetries) {
        id("accept", idHandle).cm.accept(parameters(new byte[0], retries, rnrRetries));
    }

    void disconnect(final long idHandle) {
        id("disconnect", idHandle).cm.disconnect();
    }

    private ConnectParameters parameters(final byte[] data, final int retries, final int rnrRetries) {
        final int reads = device.get().attributes().maxQpRdAtom();
        return new ConnectParameters(data, reads, reads, retries == 0 ? RETRIES : retries, rnrRetries, 0, 0);
    }

    /** The id's own address, zeros before it has one. */
    void localAddress(final long idHandle, final long at) {
        SocketAddress.write(at, id("getSrcAddr", idHandle).cm.localAddress());
    }

    /** The peer's address, zeros before there is one. */
    void peerAddress(final long idHandle, final long at) {
        SocketAddress.write(at, id("getDstAddr", idHandle).cm.peerAddress());
    }

    /** The number of the id's device. */
    long context(final long idHandle) {
        final @Nullable Context context = id("getContext", idHandle).cm.context();
        return context == null ? HandleTable.NONE : device.get().handle();
    }

    private Id id(final String verb, final long handle) {
        return handles.require(verb, handle, Id.class);
    }
}
