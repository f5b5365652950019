package io.vhca.api;

import io.vhca.api.cm.CmEventChannel;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An open device ({@code struct ibv_context}); the parent of every other object.
 *
 * <p>Control calls may be made by any thread. They throw {@link VerbsException}: EINVAL for a wrong argument, ENOMEM
 * where a limit of {@link #queryDevice()} is reached, EIO once the device is dead (every destroy still succeeds).
 */
public interface Context extends AutoCloseable {
    Device device();

    /** Attributes and limits ({@code ibv_query_device}). */
    DeviceAttributes queryDevice();

    /**
     * State and attributes of a port ({@code ibv_query_port}).
     *
     * @param portNum 1 .. {@link DeviceAttributes#physPortCount()}
     */
    PortAttributes queryPort(int portNum);

    /** Entry of a port's GID table, all zero where the entry is empty ({@code ibv_query_gid}). */
    Gid queryGid(int portNum, int index);

    /**
     * Where in a port's GID table the IP address is that peers connect to: the first entry that stands for an IPv4
     * address, else the first that is neither empty nor link-local, else 0. An Ethernet port's first entry is often a
     * link-local address that names no device without its interface.
     */
    default int ipGidIndex(final int portNum) {
        int other = -1;
        final int count = queryPort(portNum).gidTblLen();
        for (int index = 0; index < count; index++) {
            final Gid gid = queryGid(portNum, index);
            if (gid.isIpv4()) {
                return index;
            }
            if (other < 0 && !gid.isZero() && !gid.isLinkLocal()) {
                other = index;
            }
        }
        return Math.max(0, other);
    }

    /** The GID at {@link #ipGidIndex}. */
    default Gid ipGid(final int portNum) {
        return queryGid(portNum, ipGidIndex(portNum));
    }

    /** Entry of a port's P_Key table ({@code ibv_query_pkey}). */
    int queryPkey(int portNum, int index);

    /** A protection domain ({@code ibv_alloc_pd}). */
    ProtectionDomain allocPd();

    /** A completion channel ({@code ibv_create_comp_channel}). */
    CompletionChannel createCompChannel();

    /**
     * A completion queue ({@code ibv_create_cq}).
     *
     * @param cqe     how many completions it must hold at least, 1 .. {@link DeviceAttributes#maxCqe()}
     * @param context given back by {@link CompletionQueue#cqContext()}
     * @param channel where {@link CompletionQueue#reqNotify} events go, or null for none
     */
    CompletionQueue createCq(int cqe, @Nullable Object context, @Nullable CompletionChannel channel);

    /**
     * A completion queue, with all that one can be created with ({@code ibv_create_cq_ex}). A device that has no use
     * for it takes no notice of {@link CqInitAttributes#singleThreaded}.
     */
    default CompletionQueue createCq(final CqInitAttributes init) {
        return createCq(init.cqe(), init.cqContext(), init.channel());
    }

    /**
     * The next asynchronous event ({@code ibv_get_async_event}); must be acknowledged.
     *
     * @param timeoutNs how long to wait: 0 not at all, {@link Long#MAX_VALUE} without end
     * @return null when there was none in that time, when the context is closed meanwhile, or when the thread is
     *     interrupted, which it still is then
     */
    @Nullable AsyncEvent getAsyncEvent(long timeoutNs);

    /**
     * Who is told whenever an asynchronous event has come that {@link #getAsyncEvent} gives, in place of who was told
     * before; null for nobody. It is what poll(2) on {@code async_fd} is to a program whose one thread does much else.
     * Where such events are there already, it is told at once.
     *
     * @param listener called by a thread of the device's, or of the caller's; it must not wait. May be told more often
     *     than events come
     * @return false for a device that tells nobody: its events are to be looked for
     */
    default boolean onAsyncEvent(final @Nullable Runnable listener) {
        return false;
    }

    /** Acknowledges an event ({@code ibv_ack_async_event}). Closing its object does not wait for it here. */
    void ackAsyncEvent(AsyncEvent event);

    /** An event channel of the connection manager, bound to this device ({@code rdma_create_event_channel}). */
    CmEventChannel createEventChannel();

    /**
     * Native memory that is well suited to be registered, zeroed, page-aligned; freed by closing the context. A
     * convenience: any native segment may be registered.
     */
    MemorySegment allocateMemory(long lengthBytes);

    /**
     * What the device itself refused, dropped or failed at, for an operator to read; what is zero is left out. Empty
     * for a device that does not tell. Any thread.
     */
    default List<DeviceCounter> faultCounters() {
        return List.of();
    }

    /**
     * Who hears what the device does step by step, from now on, in place of who did before; null for nobody. Nobody
     * hears anything of a device that does not tell.
     */
    default void traceTo(final @Nullable DeviceTracer tracer) {
        // Hardware executes its transport where nobody sees it.
    }

    /**
     * Closes the device ({@code ibv_close_device}). Idempotent.
     *
     * @throws VerbsException EBUSY when objects of it are still open, the message names one; or when a driver has been
     *     destroying one for long that was closed: call it again
     */
    @Override
    void close();

    /**
     * The same for a thread that others wait for: EBUSY at once where a driver is still destroying what was closed.
     * Then it is to be called again.
     */
    default void closeAtOnce() {
        close();
    }
}
