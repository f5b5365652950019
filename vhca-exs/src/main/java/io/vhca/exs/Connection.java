package io.vhca.exs;

import io.vhca.api.Errno;
import io.vhca.api.QueuePair;
import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.WcOpcode;
import io.vhca.api.WcStatus;
import io.vhca.api.WorkCompletion;
import io.vhca.api.WrOpcode;
import io.vhca.exs.engine.CallSink;
import io.vhca.exs.engine.EngineSizes;
import io.vhca.exs.engine.Port;
import io.vhca.exs.engine.PortTap;
import io.vhca.exs.engine.SocketEngine;
import io.vhca.exs.wire.Greeting;
import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair, the message slots of its connection, and the engine that says what to post. The driver's lock.
 *
 * <pre>
 *   wr_id:  63        62        40 39        32 31                       0
 *           | receive | connection | coming     | number, or receive slot |
 * </pre>
 */
final class Connection implements Port {
    private static final long RECEIVE = 1L << 63;
    private static final int ID_SHIFT = 40;
    private static final int ID_MASK = (1 << 23) - 1;
    private static final int COMING_SHIFT = 32;
    private static final int COMING_MASK = 0xFF;
    /** Of no region of any device; nobody looks at the key of a READ without bytes. */
    private static final int NO_KEY = -1;

    private final EngineSizes sizes;
    private final SlotPool pool;
    private final SlotPool.Block block;
    private final SendWorkRequest send;
    private final RecvWorkRequest receive;
    private final long wrId;
    private final ArrayDeque<long[]> early = new ArrayDeque<>(0);
    private @Nullable QueuePair qp;
    private @Nullable SocketEngine engine;
    private @Nullable WcStatus earlyFailure;
    private int posted;
    private boolean isReleased;
    boolean isDirty;

    /**
     * Of a connection that lives in the driver's table at {@code id}, which came there for the {@code coming}th time.
     */
    Connection(
            final EngineSizes sizes,
            final SlotPool pool,
            final SendWorkRequest send,
            final RecvWorkRequest receive,
            final int id,
            final int coming) {
        this.sizes = sizes;
        this.pool = pool;
        this.send = send;
        this.receive = receive;
        wrId = (long) id << ID_SHIFT | (long) (coming & COMING_MASK) << COMING_SHIFT;
        block = pool.take((long) (sizes.messageSlots() + sizes.receiveSlots()) * sizes.messageSize());
    }

    static int idOf(final long wrId) {
        return (int) (wrId >>> ID_SHIFT) & ID_MASK;
    }

    int id() {
        return idOf(wrId);
    }

    /** Whether a completion is of this coming and not of one that had the same place before. */
    boolean isOwn(final long other) {
        return (wrId ^ other) >>> COMING_SHIFT << COMING_SHIFT << 1 == 0;
    }

    EngineSizes sizes() {
        return sizes;
    }

    /** Posts all receives, so that the peer may use its credits from the first moment. */
    void open(final QueuePair pair) {
        qp = pair;
        for (int slot = 0; slot < sizes.receiveSlots(); slot++) {
            postReceive(slot);
        }
    }

    /** What the peer said of itself is known: what came before that is taken now, and what failed. */
    void begin(final boolean isPackets, final Greeting peer, final PortTap tap, final CallSink sink) {
        final SocketEngine begun = new SocketEngine(isPackets, sizes, peer, tap.tap(this), sink);
        engine = begun;
        for (long[] one = early.poll(); one != null; one = early.poll()) {
            arrived(begun, (int) one[0], (int) one[1], (int) one[2], (int) one[3]);
        }
        if (earlyFailure != null) {
            receiveFailed(begun, earlyFailure);
        }
    }

    boolean hasBegun() {
        return engine != null;
    }

    SocketEngine engine() {
        return Objects.requireNonNull(engine, "not connected");
    }

    /** True while the queue pair is there. */
    boolean isOpen() {
        return qp != null;
    }

    /** The queue pair is destroyed: nothing touches any memory from now on. */
    void closed() {
        qp = null;
    }

    /** Nobody reads the message slots any more. */
    void release() {
        assert qp == null;
        if (!isReleased) {
            isReleased = true;
            pool.give(block);
        }
    }

    /** A completion of this connection. */
    void completed(final WorkCompletion wc) {
        final long id = wc.wrId();
        final SocketEngine told = engine;
        if (wc.status() != WcStatus.SUCCESS.code()) {
            failed(told, id, wc);
        } else if (id < 0 && told == null) {
            early.add(new long[] {(int) id, wc.opcode(), wc.byteLen(), isWrite(wc.opcode()) ? wc.immData() : 0});
        } else if (told != null && id < 0) {
            arrived(told, (int) id, wc.opcode(), wc.byteLen(), isWrite(wc.opcode()) ? wc.immData() : 0);
        } else if (told != null) {
            told.onSent((int) id);
        }
    }

    private static boolean isWrite(final int opcode) {
        return opcode == WcOpcode.RECV_RDMA_WITH_IMM.code();
    }

    private void arrived(
            final SocketEngine told, final int slot, final int opcode, final int byteLen, final int imm) {
        if (isWrite(opcode)) {
            told.onWriteWithImm(slot, imm);
        } else {
            told.onMessage(slot, receiveAddress(slot), byteLen);
        }
    }

    private void failed(final @Nullable SocketEngine told, final long id, final WorkCompletion wc) {
        if (told == null) {
            // Where no connection comes of it, the connection manager says why; nothing was sent yet in any case.
            if (earlyFailure == null || earlyFailure == WcStatus.WR_FLUSH_ERR) {
                earlyFailure = wc.statusName();
            }
        } else if (id >= 0) {
            told.onSendFailed((int) id, wc.statusName());
        } else {
            receiveFailed(told, wc.statusName());
        }
    }

    private static void receiveFailed(final SocketEngine told, final WcStatus status) {
        switch (status) {
            case LOC_LEN_ERR -> told.fail(
                    Errno.EPROTO, "a message is longer than it may be; the peer does not keep to the protocol");
            case WR_FLUSH_ERR -> told.onFlushed();
            default -> told.fail(Errno.ECONNRESET, "the connection is broken (" + status + " of a receive)");
        }
    }

    private long receiveAddress(final int slot) {
        return block.address() + (long) (sizes.messageSlots() + slot) * sizes.messageSize();
    }

    @Override
    public long messageAddress(final int slot) {
        return block.address() + (long) slot * sizes.messageSize();
    }

    @Override
    public void postMessage(final int slot, final int lengthBytes, final boolean isSignaled) {
        post(send.opcode(WrOpcode.SEND).sge(messageAddress(slot), lengthBytes, block.lkey()), isSignaled);
    }

    @Override
    public void postRead(
            final long address, final int lkey, final int lengthBytes, final long remoteAddress, final int rkey) {
        post(send.opcode(WrOpcode.RDMA_READ).sge(address, lengthBytes, lkey).rdma(remoteAddress, rkey), true);
    }

    @Override
    public void postWrite(
            final long address, final int lkey, final int lengthBytes, final long remoteAddress, final int rkey) {
        post(send.opcode(WrOpcode.RDMA_WRITE).sge(address, lengthBytes, lkey).rdma(remoteAddress, rkey), false);
    }

    @Override
    public void postWriteWithImm(
            final long address,
            final int lkey,
            final int lengthBytes,
            final long remoteAddress,
            final int rkey,
            final int imm) {
        send.opcode(WrOpcode.RDMA_WRITE_WITH_IMM).sge(address, lengthBytes, lkey).rdma(remoteAddress, rkey);
        post(send.immData(imm), true);
    }

    @Override
    public void postProbe() {
        post(send.opcode(WrOpcode.RDMA_READ).numSge(0).rdma(0, NO_KEY), true);
    }

    private void post(final SendWorkRequest wr, final boolean isSignaled) {
        wr.wrId(wrId | Integer.toUnsignedLong(posted++)).sendFlags(isSignaled ? SendFlags.SIGNALED : 0);
        final QueuePair open = qp;
        final int result = open == null ? -Errno.ENOTCONN : open.postSend(wr);
        if (result < 0) {
            engine().fail(-result, "the queue pair takes nothing more (" + Errno.name(result) + ")");
        }
    }

    @Override
    public void postReceive(final int slot) {
        final QueuePair open = qp;
        if (open != null) {
            final int length = sizes.messageSize();
            final int result = open.postRecv(
                    receive.wrId(wrId | RECEIVE | slot).sge(receiveAddress(slot), length, block.lkey()));
            final SocketEngine told = engine;
            if (result < 0 && told != null) {
                told.fail(-result, "the queue pair takes no receive (" + Errno.name(result) + ")");
            }
        }
    }
}
