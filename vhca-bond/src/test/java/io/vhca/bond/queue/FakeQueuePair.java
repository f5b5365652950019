package io.vhca.bond.queue;

import io.vhca.api.CompletionQueue;
import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpState;
import io.vhca.api.QpType;
import io.vhca.api.QueuePair;
import io.vhca.api.RecvWrDescriptor;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.SendWrDescriptor;
import io.vhca.api.SgeDescriptor;
import io.vhca.api.SharedReceiveQueue;
import io.vhca.api.WrOpcode;
import io.vhca.bond.wire.PhysicalWrId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A physical QP that keeps what it is given, as many requests as it has room for, and does nothing with it. */
public final class FakeQueuePair implements QueuePair {
    /** What came with each call of a post, in order. */
    final List<List<Posted>> posts = new ArrayList<>();
    int room = Integer.MAX_VALUE;
    int refusal = -Errno.ENOMEM;
    public int qpNum = 1;
    public boolean isClosed;

    /** A request as hardware read it; the remote key is that of RDMA, whatever the opcode. */
    record Posted(long wrId, WrOpcode opcode, int flags, int imm, List<Integer> lkeys, long remoteAddr, int rkey) {
        int sequence() {
            return (int) PhysicalWrId.sequence(wrId, 0);
        }
    }

    /** Everything posted so far. */
    List<Posted> all() {
        return posts.stream().flatMap(List::stream).toList();
    }

    List<Integer> sequences() {
        return all().stream().map(Posted::sequence).toList();
    }

    @Override
    public int postSend(final long wrAddress) {
        final List<Posted> taken = new ArrayList<>();
        long wr = wrAddress;
        for (; wr != 0 && taken.size() < room; wr = NativeMemory.getLong(wr + SendWrDescriptor.NEXT_OFFSET)) {
            taken.add(new Posted(
                    NativeMemory.getLong(wr + SendWrDescriptor.WR_ID_OFFSET),
                    WrOpcode.fromCode(NativeMemory.getInt(wr + SendWrDescriptor.OPCODE_OFFSET)),
                    NativeMemory.getInt(wr + SendWrDescriptor.SEND_FLAGS_OFFSET),
                    new SendWorkRequest().wrap(wr).immData(),
                    lkeys(NativeMemory.getLong(wr + SendWrDescriptor.SG_LIST_OFFSET),
                            NativeMemory.getInt(wr + SendWrDescriptor.NUM_SGE_OFFSET)),
                    NativeMemory.getLong(wr + SendWrDescriptor.RDMA_REMOTE_ADDR_OFFSET),
                    NativeMemory.getInt(wr + SendWrDescriptor.RDMA_RKEY_OFFSET)));
        }
        return taken(taken);
    }

    @Override
    public int postRecv(final long wrAddress) {
        final List<Posted> taken = new ArrayList<>();
        long wr = wrAddress;
        for (; wr != 0 && taken.size() < room; wr = NativeMemory.getLong(wr + RecvWrDescriptor.NEXT_OFFSET)) {
            taken.add(new Posted(
                    NativeMemory.getLong(wr + RecvWrDescriptor.WR_ID_OFFSET),
                    WrOpcode.SEND,
                    0,
                    0,
                    lkeys(NativeMemory.getLong(wr + RecvWrDescriptor.SG_LIST_OFFSET),
                            NativeMemory.getInt(wr + RecvWrDescriptor.NUM_SGE_OFFSET)),
                    0,
                    0));
        }
        return taken(taken);
    }

    private int taken(final List<Posted> taken) {
        if (taken.isEmpty()) {
            return refusal;
        }
        room -= taken.size();
        posts.add(taken);
        return taken.size();
    }

    private static List<Integer> lkeys(final long sges, final int count) {
        final List<Integer> keys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            keys.add(NativeMemory.getInt(sges + (long) i * SgeDescriptor.SIZE + SgeDescriptor.LKEY_OFFSET));
        }
        return keys;
    }

    @Override
    public ProtectionDomain pd() {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionQueue sendCq() {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionQueue recvCq() {
        throw new UnsupportedOperationException();
    }

    @Override
    public @Nullable SharedReceiveQueue srq() {
        return null;
    }

    @Override
    public QpType qpType() {
        return QpType.RC;
    }

    @Override
    public int qpNum() {
        return qpNum;
    }

    @Override
    public QpState state() {
        return QpState.RTS;
    }

    @Override
    public QpCapabilities capabilities() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void modify(final QpAttributes attributes) {
        throw new UnsupportedOperationException();
    }

    @Override
    public QpAttributes query() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
        isClosed = true;
    }
}
