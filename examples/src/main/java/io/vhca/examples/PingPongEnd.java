package io.vhca.examples;

import io.vhca.api.AccessFlags;
import io.vhca.api.AddressHandle;
import io.vhca.api.AhAttributes;
import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.MemoryRegion;
import io.vhca.api.Mtu;
import io.vhca.api.NativeMemory;
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
import io.vhca.api.VerbsException;
import io.vhca.api.WcFlags;
import io.vhca.api.WorkCompletion;
import io.vhca.api.WrOpcode;
import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One end of a ping-pong: a queue pair brought up by hand, as ibv_rc_pingpong and ibv_ud_pingpong do. One thread.
 *
 * <pre>
 *   | GRH, of datagrams only | message |      one buffer: a receive takes all of it, a send the message
 * </pre>
 */
final class PingPongEnd implements AutoCloseable {
    private static final long RECV_ID = 1;
    private static final long SEND_ID = 2;
    private static final long TIMEOUT_NS = 30_000_000_000L;
    private static final int PORT = 1;
    private static final int QKEY = 0x11111111;

    private final Context device;
    private final PingPongOptions options;
    private final PingPongAddress address;
    private final Arena arena = Arena.ofShared();
    private final @Nullable CompletionChannel channel;
    private final ProtectionDomain pd;
    private final MemoryRegion mr;
    private final CompletionQueue cq;
    private final QueuePair qp;
    private final SendWorkRequest sendWr = SendWorkRequest.allocate(arena, 1);
    private final RecvWorkRequest recvWr = RecvWorkRequest.allocate(arena, 1);
    private final WorkCompletion wc = WorkCompletion.allocate(arena, 2);
    private final int headBytes;
    /** What closes what was made, the last first. */
    private final Deque<Runnable> made = new ArrayDeque<>();

    PingPongEnd(final Context device, final PingPongOptions options, final int psn) {
        this.device = device;
        this.options = options;
        headBytes = options.datagram() ? WcFlags.GRH_BYTES : 0;
        made.push(arena::close);
        boolean done = false;
        try {
            channel = options.events() ? device.createCompChannel() : null;
            if (channel != null) {
                made.push(channel::close);
            }
            pd = device.allocPd();
            made.push(pd::close);
            mr = pd.regMr(
                    arena.allocate(Math.max(1, headBytes + options.sizeBytes()), 4096), AccessFlags.LOCAL_WRITE);
            made.push(mr::close);
            cq = device.createCq(options.rxDepth() + 1, null, channel);
            made.push(cq::close);
            qp = pd.createQp(new QpInitAttributes(
                    cq,
                    cq,
                    null,
                    new QpCapabilities(1, options.rxDepth(), 1, 1, 0),
                    options.datagram() ? QpType.UD : QpType.RC,
                    false));
            made.push(qp::close);
            final QpAttributes init =
                    new QpAttributes().qpState(QpState.INIT).pkeyIndex(0).portNum(PORT);
            qp.modify(options.datagram() ? init.qkey(QKEY) : init.accessFlags(0));
            address = new PingPongAddress(qp.qpNum(), psn, device.ipGid(PORT));
            done = true;
        } finally {
            if (!done) {
                close();
            }
        }
    }

    PingPongAddress address() {
        return address;
    }

    /** INIT to RTR to RTS towards the peer; receives are posted before, so that no message comes too early. */
    void connect(final PingPongAddress peer) {
        for (int i = 0; i < options.rxDepth(); i++) {
            postReceive();
        }
        final AhAttributes path = new AhAttributes(peer.gid(), device.ipGidIndex(PORT), 0, 0, PORT);
        if (options.datagram()) {
            qp.modify(new QpAttributes().qpState(QpState.RTR));
            qp.modify(new QpAttributes().qpState(QpState.RTS).sqPsn(address.psn()));
            final AddressHandle handle = pd.createAh(path);
            sendWr.ud(handle.handle(), peer.qpNum(), QKEY);
            made.push(handle::close);
            return;
        }
        final Mtu mtu = options.mtuBytes() == 0
                ? device.queryPort(PORT).activeMtu()
                : Mtu.atMost(options.mtuBytes());
        qp.modify(new QpAttributes()
                .qpState(QpState.RTR)
                .ah(path)
                .pathMtu(mtu)
                .destQpNum(peer.qpNum())
                .rqPsn(peer.psn())
                .maxDestRdAtomic(1)
                .minRnrTimer(12));
        qp.modify(new QpAttributes()
                .qpState(QpState.RTS)
                .timeout(14)
                .retryCnt(7)
                .rnrRetry(7)
                .sqPsn(address.psn())
                .maxRdAtomic(1));
    }

    /**
     * Plays until both counts reach the number of iterations.
     *
     * @param first true for the end that serves
     * @return how long it took in ns
     */
    long play(final boolean first) {
        int received = 0;
        int sent = 0;
        int posted = 0;
        long pending = RECV_ID;
        arm();
        final long startNs = System.nanoTime();
        if (first) {
            postSend(posted++);
            pending |= SEND_ID;
        }
        while (received < options.iterations() || sent < options.iterations()) {
            final int count = await(received, sent);
            for (int i = 0; i < count; i++) {
                wc.at(i);
                if (wc.status() != 0) {
                    throw new VerbsException("pollCq", Errno.EIO, name(), "completed with " + wc.statusName());
                }
                if (wc.wrId() == SEND_ID) {
                    sent++;
                } else {
                    check(received++);
                    postReceive();
                }
                pending &= ~wc.wrId();
                if (pending == 0 && posted < options.iterations()) {
                    postSend(posted++);
                    pending = RECV_ID | SEND_ID;
                }
            }
        }
        return System.nanoTime() - startNs;
    }

    private int await(final int received, final int sent) {
        int count = cq.poll(wc);
        final long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        for (int round = 0; count == 0; round++) {
            if (deadlineNs - System.nanoTime() < 0) {
                throw new VerbsException(
                        "pollCq",
                        Errno.ETIMEDOUT,
                        name(),
                        String.format(
                                Locale.ROOT, "no completion, with %d of %d received and %d sent; is the peer alive?",
                                received, options.iterations(), sent));
            }
            if (channel == null) {
                Waiting.pause(round);
            } else if (channel.getCqEvent(TIMEOUT_NS) != null) {
                cq.reqNotify(false);
            }
            count = cq.poll(wc);
        }
        if (count < 0) {
            throw new VerbsException("pollCq", -count, name(), "the completion queue is in error");
        }
        return count;
    }

    private void arm() {
        if (channel != null) {
            cq.reqNotify(false);
        }
    }

    private void postSend(final int iteration) {
        if (options.check()) {
            NativeMemory.fill(mr.addr() + headBytes, options.sizeBytes(), (byte) iteration);
        }
        posted("postSend", qp.postSend(sendWr.wrId(SEND_ID)
                .opcode(WrOpcode.SEND)
                .sendFlags(SendFlags.SIGNALED)
                .sge(mr.addr() + headBytes, options.sizeBytes(), mr.lkey())));
    }

    private void postReceive() {
        posted(
                "postRecv",
                qp.postRecv(recvWr.wrId(RECV_ID).sge(mr.addr(), headBytes + options.sizeBytes(), mr.lkey())));
    }

    private void posted(final String verb, final int result) {
        if (result < 0) {
            throw new VerbsException(verb, -result, name(), "the request was refused");
        }
    }

    private void check(final int iteration) {
        if (!options.check()) {
            return;
        }
        for (int i = 0; i < options.sizeBytes(); i++) {
            if (NativeMemory.getByte(mr.addr() + headBytes + i) != (byte) iteration) {
                throw new VerbsException(
                        "check", Errno.EIO, name(), "byte " + i + " of message " + iteration + " is wrong");
            }
        }
    }

    private String name() {
        return device.device().name() + " qp " + qp.qpNum();
    }

    @Override
    public void close() {
        made.forEach(Runnable::run);
    }
}
