package io.vhca.disni;

import io.vhca.api.Errno;
import io.vhca.api.RecvWrDescriptor;
import io.vhca.api.SendWrDescriptor;
import io.vhca.api.SgeDescriptor;
import io.vhca.api.VerbsException;
import io.vhca.api.WcDescriptor;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The calls that DiSNI's {@code NativeDispatcher} declares native, for versions 1.x and 2.x alike: names, parameters
 * and answers are theirs, as numbers for objects and addresses of C structures. What the two declare differently is in
 * their own classes. A call that fails throws {@link IOException} with the reason, with DiSNI 1.x too; calls that
 * release something answer a positive errno or -1, as C does, and never throw.
 *
 * <p>Any thread, as DiSNI calls it. The process has one device, opened by the first event channel.
 */
public abstract class DisniDispatcher {
    /** What DiSNI 1.x and 2.x ask their native library's version to be. */
    private static final int VERSION = 32;

    private static final int FAILED = -1;

    private static final class Shared {
        static final Shared INSTANCE = new Shared();

        final HandleTable handles = new HandleTable();
        final CmCalls cm = new CmCalls(handles, this::device);
        final VerbsCalls verbs = new VerbsCalls(handles);
        private volatile @Nullable OpenDevice device;

        private OpenDevice device() {
            OpenDevice open = device;
            if (open == null) {
                synchronized (this) {
                    open = device;
                    if (open == null) {
                        open = new OpenDevice(handles, DeviceChoice.choose().open());
                        device = open;
                    }
                }
            }
            return open;
        }
    }

    private final CmCalls cm = Shared.INSTANCE.cm;
    private final VerbsCalls verbs = Shared.INSTANCE.verbs;

    private interface Call {
        void run();
    }

    private interface LongCall {
        long run();
    }

    /** For DiSNI's own two classes. */
    protected DisniDispatcher() {}

    private static void call(final Call call) throws IOException {
        try {
            call.run();
        } catch (final VerbsException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static long ask(final LongCall call) throws IOException {
        try {
            return call.run();
        } catch (final VerbsException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** A call of libibverbs that releases something: 0, or the errno that it failed with. */
    private static int release(final Call call) {
        try {
            call.run();
            return 0;
        } catch (final VerbsException e) {
            return e.errno();
        }
    }

    /** A call of librdmacm that ends something: 0, or -1. */
    private static int end(final Call call) {
        return release(call) == 0 ? 0 : FAILED;
    }

    // ---- what the two versions declare differently -----------------------------------------------------------------

    protected final void bindAddr(final long id, final long address) throws IOException {
        call(() -> cm.bindAddr(id, address));
    }

    protected final void listen(final long id, final int backlog) throws IOException {
        call(() -> cm.listen(id, backlog));
    }

    protected final void resolveAddr(final long id, final long destination, final int timeoutMs) throws IOException {
        call(() -> cm.resolveAddr(id, destination, timeoutMs));
    }

    protected final void resolveRoute(final long id, final int timeoutMs) throws IOException {
        call(() -> cm.resolveRoute(id, timeoutMs));
    }

    protected final void connect(
            final long id, final int retries, final int rnrRetries, final long dataAddress, final byte dataBytes)
            throws IOException {
        call(() -> cm.connect(id, retries, rnrRetries, dataAddress, dataBytes));
    }

    protected final void accept(final long id, final int retries, final int rnrRetries) throws IOException {
        call(() -> cm.accept(id, retries, rnrRetries));
    }

    protected final void deregMr(final long region) throws IOException {
        call(() -> verbs.deregMr(region));
    }

    /** Without a lambda: it allocates nothing. */
    protected final void postSend(final long qp, final long wr) throws IOException {
        final int result;
        try {
            result = verbs.postSend(qp, wr);
        } catch (final VerbsException e) {
            throw new IOException(e.getMessage(), e);
        }
        if (result != 0) {
            throw notPosted("postSend", qp, result);
        }
    }

    /** Without a lambda: it allocates nothing. */
    protected final void postRecv(final long qp, final long wr) throws IOException {
        final int result;
        try {
            result = verbs.postRecv(qp, wr);
        } catch (final VerbsException e) {
            throw new IOException(e.getMessage(), e);
        }
        if (result != 0) {
            throw notPosted("postRecv", qp, result);
        }
    }

    private IOException notPosted(final String verb, final long qp, final int result) {
        return new IOException(verb + " on " + name(qp) + " failed (" + Errno.name(-result)
                + "): the requests before the one that was refused are posted");
    }

    private String name(final long qp) {
        try {
            return "qp 0x" + Integer.toHexString(verbs.qpNum(qp));
        } catch (final VerbsException e) {
            // Another thread has destroyed it since.
            return "a queue pair that is destroyed";
        }
    }

    // ---- connection manager ----------------------------------------------------------------------------------------

    public long _createEventChannel() throws IOException {
        return ask(cm::createEventChannel);
    }

    public long _createId(final long channel, final short portSpace) throws IOException {
        return ask(() -> cm.createId(channel));
    }

    public long _createQP(
            final long id,
            final long pd,
            final long sendCq,
            final long recvCq,
            final int type,
            final int maxSendWr,
            final int maxRecvWr,
            final int maxInlineData)
            throws IOException {
        return ask(() -> cm.createQp(id, pd, sendCq, recvCq, type, maxSendWr, maxRecvWr, maxInlineData));
    }

    /** The next event's code, -1 for none in that time and for a channel that is closed. */
    public int _getCmEvent(final long channel, final long listenAt, final long idAt, final int timeoutMs) {
        try {
            return cm.getEvent(channel, listenAt, idAt, timeoutMs);
        } catch (final VerbsException e) {
            return FAILED;
        }
    }

    /** Events are acknowledged as they are taken. */
    public int _ackCmEvent(final int event) {
        return 0;
    }

    public int _disconnect(final long id) {
        return end(() -> cm.disconnect(id));
    }

    public int _destroyEventChannel(final long channel) {
        return end(() -> cm.destroyEventChannel(channel));
    }

    public int _destroyCmId(final long id) {
        return end(() -> cm.destroyId(id));
    }

    public int _destroyQP(final long id) {
        return end(() -> cm.destroyQp(id));
    }

    /** Destroys the id with its queue pair ({@code rdma_destroy_ep}). */
    public int _destroyEp(final long id) {
        return end(() -> cm.destroyId(id));
    }

    public int _getSrcAddr(final long id, final long at) {
        return end(() -> cm.localAddress(id, at));
    }

    public int _getDstAddr(final long id, final long at) {
        return end(() -> cm.peerAddress(id, at));
    }

    // ---- verbs -----------------------------------------------------------------------------------------------------

    public long _allocPd(final long context) throws IOException {
        return ask(() -> verbs.allocPd(context));
    }

    public int _deallocPd(final long pd) {
        return release(() -> verbs.deallocPd(pd));
    }

    public int _getPdHandle(final long pd) throws IOException {
        return (int) ask(() -> verbs.pdHandle(pd));
    }

    public long _createCompChannel(final long context) throws IOException {
        return ask(() -> verbs.createCompChannel(context));
    }

    /** EBUSY, as in C, while completion queues use the channel; unlike there it is then closed after the last. */
    public int _destroyCompChannel(final long channel) {
        try {
            return verbs.destroyCompChannel(channel) ? 0 : Errno.EBUSY;
        } catch (final VerbsException e) {
            return e.errno();
        }
    }

    public long _createCQ(final long context, final long channel, final int cqe, final int vector) throws IOException {
        return ask(() -> verbs.createCq(context, channel, cqe));
    }

    public int _destroyCQ(final long cq) {
        return release(() -> verbs.destroyCq(cq));
    }

    /** Refused: DiSNI passes no attributes along, so that nothing could be changed. */
    public int _modifyQP(final long qp, final long attributes) throws IOException {
        throw new IOException("modifyQP is not carried: DiSNI passes no attributes to it; a connection's queue pair is"
                + " moved through its states by connect, accept and disconnect");
    }

    public long _regMr(
            final long pd,
            final long address,
            final int lengthBytes,
            final int access,
            final long lkeyAt,
            final long rkeyAt,
            final long handleAt)
            throws IOException {
        return ask(() -> verbs.regMr(pd, address, lengthBytes, access, lkeyAt, rkeyAt, handleAt));
    }

    /** No device here has on-demand paging. */
    public int _queryOdpSupport(final long context) {
        return FAILED;
    }

    /** No device here has on-demand paging. */
    public int _expPrefetchMr(final long region, final long address, final int lengthBytes) {
        return FAILED;
    }

    /** 0, or -1 when there was no event in that time. */
    public int _getCqEvent(final long channel, final int timeoutMs) throws IOException {
        return (int) ask(() -> verbs.getCqEvent(channel, timeoutMs) ? 0 : FAILED);
    }

    /** Without a lambda: it allocates nothing. */
    public int _pollCQ(final long cq, final int most, final long wcs) throws IOException {
        try {
            return verbs.poll(cq, most, wcs);
        } catch (final VerbsException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** Without a lambda: it allocates nothing. */
    public int _reqNotifyCQ(final long cq, final int isSolicitedOnly) throws IOException {
        try {
            verbs.reqNotify(cq, isSolicitedOnly != 0);
            return 0;
        } catch (final VerbsException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** Events are acknowledged as they are taken. */
    public int _ackCqEvent(final long cq, final int events) {
        return 0;
    }

    // ---- fields ----------------------------------------------------------------------------------------------------

    /** The number of the id's device, -1 while it has none. */
    public long _getContext(final long id) throws IOException {
        return ask(() -> cm.context(id));
    }

    public int _getQpNum(final long qp) throws IOException {
        return (int) ask(() -> verbs.qpNum(qp));
    }

    /** A number that tells contexts apart: DiSNI keys its tables by it. */
    public int _getContextFd(final long context) throws IOException {
        return (int) ask(() -> verbs.contextNumber(context));
    }

    public int _getContextNumCompVectors(final long context) throws IOException {
        return (int) ask(() -> verbs.completionVectors(context));
    }

    // ---- layouts ---------------------------------------------------------------------------------------------------

    public int _getSockAddrInSize() {
        return SocketAddress.RESERVED_BYTES;
    }

    public int _getIbvRecvWRSize() {
        return RecvWrDescriptor.SIZE;
    }

    public int _getIbvSendWRSize() {
        return SendWrDescriptor.SIZE;
    }

    public int _getIbvSgeSize() {
        return SgeDescriptor.SIZE;
    }

    public int _getIbvWCSize() {
        return WcDescriptor.SIZE;
    }

    public int _getRemoteAddressOffset() {
        return SendWrDescriptor.RDMA_REMOTE_ADDR_OFFSET;
    }

    public int _getRKeyOffset() {
        return SendWrDescriptor.RDMA_RKEY_OFFSET;
    }

    public int _getVersion() {
        return VERSION;
    }
}
