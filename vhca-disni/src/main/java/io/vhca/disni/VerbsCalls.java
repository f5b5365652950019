package io.vhca.disni;

import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Errno;
import io.vhca.api.MemoryRegion;
import io.vhca.api.NativeMemory;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QueuePair;
import io.vhca.api.SendWrDescriptor;
import io.vhca.api.VerbsException;

/**
 * What DiSNI asks of libibverbs, over vhca-api. Any thread. Objects are numbers of the {@link HandleTable}; what fails
 * throws {@link VerbsException}, and leaves things as they were. Posts and polls allocate nothing.
 */
final class VerbsCalls {
    private final HandleTable handles;

    /** A completion channel, which is closed after its last completion queue. */
    private static final class Channel {
        final CompletionChannel channel;
        final LastUser use;

        Channel(final CompletionChannel channel) {
            this.channel = channel;
            use = new LastUser("DiSNI completion channel", channel::close);
        }
    }

    /** A completion queue, and the channel that it uses. */
    static final class Cq {
        final CompletionQueue queue;
        private final Channel channel;

        private Cq(final CompletionQueue queue, final Channel channel) {
            this.queue = queue;
            this.channel = channel;
        }
    }

    VerbsCalls(final HandleTable handles) {
        this.handles = handles;
    }

    long allocPd(final long context) {
        return handles.put(device("allocPd", context).context().allocPd());
    }

    void deallocPd(final long handle) {
        handles.require("deallocPd", handle, ProtectionDomain.class).close();
        handles.remove(handle);
    }

    /** A number that tells protection domains apart ({@code ibv_pd.handle}). */
    int pdHandle(final long handle) {
        handles.require("getPdHandle", handle, ProtectionDomain.class);
        return (int) handle;
    }

    long createCompChannel(final long context) {
        return handles.put(new Channel(device("createCompChannel", context).context().createCompChannel()));
    }

    /**
     * Closes the channel, after its last completion queue where there are some; the number is no longer valid either
     * way.
     *
     * @return false when it waits for a completion queue
     */
    boolean destroyCompChannel(final long handle) {
        final Channel channel = handles.require("destroyCompChannel", handle, Channel.class);
        handles.remove(handle);
        return channel.use.close();
    }

    /** Devices here have one completion vector, which all completion queues use. */
    long createCq(final long context, final long channelHandle, final int cqe) {
        final String verb = "createCq";
        final OpenDevice device = device(verb, context);
        final Channel channel = handles.require(verb, channelHandle, Channel.class);
        channel.use.enter(verb);
        CompletionQueue queue = null;
        try {
            queue = device.context().createCq(cqe, null, channel.channel);
            return handles.put(new Cq(queue, channel));
        } catch (final VerbsException e) {
            if (queue != null) {
                queue.close();
            }
            channel.use.leave();
            throw e;
        }
    }

    void destroyCq(final long handle) {
        final Cq cq = handles.require("destroyCq", handle, Cq.class);
        cq.queue.close();
        if (handles.remove(handle)) {
            cq.channel.use.leave();
        }
    }

    /**
     * Waits until an armed completion queue of the channel has a completion, as C does: also where the thread is
     * interrupted, which it still is then.
     *
     * @return false when there was none in that time
     */
    boolean getCqEvent(final long channelHandle, final int timeoutMs) {
        final Channel channel = handles.require("getCqEvent", channelHandle, Channel.class);
        return Waiting.await(
                        Waiting.ns(timeoutMs),
                        channel.channel::getCqEvent,
                        () -> handles.get(channelHandle, Channel.class) == channel)
                != null;
    }

    void reqNotify(final long cqHandle, final boolean isSolicitedOnly) {
        handles.require("reqNotifyCq", cqHandle, Cq.class).queue.reqNotify(isSolicitedOnly);
    }

    /**
     * Takes completions.
     *
     * @param wcs room for {@code most} of them ({@code struct ibv_wc})
     * @return how many there were
     */
    int poll(final long cqHandle, final int most, final long wcs) {
        return handles.require("pollCq", cqHandle, Cq.class).queue.poll(wcs, most);
    }

    /**
     * Posts a chain of send requests ({@code struct ibv_send_wr}).
     *
     * @return 0, or the negative errno of the first that was refused; those before it are posted
     */
    int postSend(final long qpHandle, final long chain) {
        final QueuePair qp = handles.require("postSend", qpHandle, QueuePair.class);
        for (long wr = chain; wr != 0; ) {
            final int posted = qp.postSend(wr);
            if (posted <= 0) {
                return posted;
            }
            wr = after(wr, posted);
        }
        return 0;
    }

    /** The same with receive requests ({@code struct ibv_recv_wr}). */
    int postRecv(final long qpHandle, final long chain) {
        final QueuePair qp = handles.require("postRecv", qpHandle, QueuePair.class);
        for (long wr = chain; wr != 0; ) {
            final int posted = qp.postRecv(wr);
            if (posted <= 0) {
                return posted;
            }
            wr = after(wr, posted);
        }
        return 0;
    }

    /** The request that many behind one; its place is the same in requests of both kinds. */
    private static long after(final long first, final int posted) {
        long wr = first;
        for (int i = 0; i < posted; i++) {
            wr = NativeMemory.getLong(wr + SendWrDescriptor.NEXT_OFFSET);
        }
        return wr;
    }

    int qpNum(final long qpHandle) {
        return handles.require("getQpNum", qpHandle, QueuePair.class).qpNum();
    }

    /**
     * Registers memory.
     *
     * @param lkeyAt   where the local key goes, 4 bytes
     * @param rkeyAt   where the remote key goes, 4 bytes
     * @param handleAt where a number that tells regions apart goes, 4 bytes
     */
    long regMr(
            final long pdHandle,
            final long address,
            final int lengthBytes,
            final int access,
            final long lkeyAt,
            final long rkeyAt,
            final long handleAt) {
        final ProtectionDomain pd = handles.require("regMr", pdHandle, ProtectionDomain.class);
        if (address == 0 || lengthBytes < 0) {
            throw new VerbsException(
                    "regMr",
                    Errno.EINVAL,
                    "DiSNI",
                    lengthBytes + " bytes at 0x" + Long.toHexString(address)
                            + " are no memory; pass a direct buffer");
        }
        final MemoryRegion region = pd.regMr(NativeMemory.segment(address, lengthBytes), access);
        final long handle = handles.put(region);
        NativeMemory.putInt(lkeyAt, region.lkey());
        NativeMemory.putInt(rkeyAt, region.rkey());
        NativeMemory.putInt(handleAt, (int) handle);
        return handle;
    }

    void deregMr(final long handle) {
        handles.require("deregMr", handle, MemoryRegion.class).close();
        handles.remove(handle);
    }

    /** A number that tells devices apart, as C's file descriptor of a context does. */
    int contextNumber(final long context) {
        device("getContextFd", context);
        return (int) context;
    }

    /** How many completion vectors the device has. */
    int completionVectors(final long context) {
        device("getContextNumCompVectors", context);
        return 1;
    }

    private OpenDevice device(final String verb, final long handle) {
        return handles.require(verb, handle, OpenDevice.class);
    }
}
