package io.vhca.harness.sim.app;

import io.vhca.api.AddressHandle;
import io.vhca.api.MemoryRegion;
import io.vhca.api.NativeMemory;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QueuePair;
import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.WcFlags;
import io.vhca.api.WcOpcode;
import io.vhca.api.WcStatus;
import io.vhca.api.WorkCompletion;
import io.vhca.api.WrOpcode;
import io.vhca.harness.sim.check.DatagramBook;
import io.vhca.harness.sim.check.DatagramWire;
import io.vhca.harness.sim.check.ReceiveCompletionChecker;
import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.core.Violations;
import io.vhca.harness.sim.scenario.DatagramQps;
import java.util.BitSet;
import java.util.SplittableRandom;

/**
 * One UD queue pair of a simulated application: keeps receives posted, posts datagrams, checks every completion. Sends
 * complete once, in order and with success, whatever becomes of the datagram; receives once and in order.
 *
 * <pre>
 *   memory:  | send slots (depth x MTU) | receive slots (depth x (header + MTU)) |
 * </pre>
 */
final class DatagramEnd {
    static final int QKEY = 0x0d06_f00d;
    static final int MAX_INLINE = 64;
    /** No identity: what completed brought no datagram. */
    static final long NOTHING = -1;

    private static final String SENDS = "datagram sends complete once, in order, with success";
    private static final byte POISON = (byte) 0xb5;

    private final int index;
    private final Side side;
    private final int depth;
    private final int mtuBytes;
    private final DatagramWire wire;
    private final QueuePair qp;
    private final MemoryRegion memory;
    private final WrBlock wrs;
    private final SplittableRandom random;
    private final ReceiveCompletionChecker recvs;
    private final BitSet signaled = new BitSet();
    private final int[] next = new int[DatagramQps.MOST];
    private final boolean isSolicited;
    private final boolean isEachSignaled;
    private final String where;
    private final Violations violations;
    private int posted;
    private int completed;
    private boolean isEnding;

    DatagramEnd(
            final int index, final Side side, final int depth, final boolean isSolicited,
            final boolean isEachSignaled, final DatagramWire wire, final QueuePair qp, final MemoryRegion memory,
            final WrBlock wrs, final SplittableRandom random, final Violations violations) {
        this.index = index;
        this.side = side;
        this.depth = depth;
        this.isSolicited = isSolicited;
        this.isEachSignaled = isEachSignaled;
        this.wire = wire;
        this.qp = qp;
        this.memory = memory;
        this.wrs = wrs;
        this.random = random;
        this.violations = violations;
        mtuBytes = (int) (memory.lengthBytes() / depth - WcFlags.GRH_BYTES) / 2;
        where = side.label() + " datagrams " + index;
        recvs = new ReceiveCompletionChecker(where, violations);
        qp.modify(new QpAttributes().qpState(QpState.INIT).pkeyIndex(0).portNum(1).qkey(QKEY));
        qp.modify(new QpAttributes().qpState(QpState.RTR));
        qp.modify(new QpAttributes().qpState(QpState.RTS).sqPsn(0));
    }

    /** Bytes that an end needs. */
    static long memoryBytes(final int depth, final int mtuBytes) {
        return (long) depth * (2L * mtuBytes + WcFlags.GRH_BYTES);
    }

    QueuePair qp() {
        return qp;
    }

    /** How many were posted to one of the peer's queue pairs. */
    int nextNumber(final int to) {
        return next[to];
    }

    boolean hasRoom() {
        return !isEnding && posted - completed < depth;
    }

    /** True while no send has an address handle in use. */
    boolean isIdle() {
        return posted == completed;
    }

    /** Posts one datagram; where it goes is up to the caller. Returns its identity. */
    int post(final AddressHandle ah, final int to, final int qpNum, final boolean mustSignal) {
        final int identity = DatagramWire.identity(side, index, to, next[to]);
        final int length = wire.lengthBytes(identity);
        final long address = sendSlot(posted);
        wire.write(address, identity);
        // Every other one has to tell that the one before it is done, or the window would stand still.
        final boolean isSignaled = mustSignal || random.nextBoolean() || posted - completed >= depth / 2;
        final boolean isInline = length <= MAX_INLINE && random.nextBoolean();
        final SendWorkRequest wr = wrs.send(0)
                .next(0)
                .wrId(posted)
                .opcode(wire.hasImm(identity) ? WrOpcode.SEND_WITH_IMM : WrOpcode.SEND)
                .sendFlags((isSignaled ? SendFlags.SIGNALED : 0)
                        | (isInline ? SendFlags.INLINE : 0)
                        | (isSolicited ? SendFlags.SOLICITED : 0))
                .immData(identity)
                .ud(ah.handle(), qpNum, QKEY);
        final int first = length == 0 ? 0 : 1 + random.nextInt(length);
        wr.sge(0, address, first, memory.lkey()).sge(1, address + first, length - first, memory.lkey());
        wr.numSge(length == 0 ? 0 : first == length ? 1 : 2);
        final int result = qp.postSend(wr);
        if (result != 1) {
            violations.report(SENDS, where, "post of datagram " + posted + " answered " + result);
            isEnding = true;
            return identity;
        }
        if (isInline) {
            NativeMemory.fill(address, mtuBytes, POISON);
        }
        signaled.set(posted, isSignaled || isEachSignaled);
        posted++;
        next[to]++;
        return identity;
    }

    /** Posts receives until there are as many as the queue holds, or a random part of that. */
    void refill() {
        if (isEnding || recvs.posted() - recvs.completed() == depth || random.nextInt(4) == 0) {
            return;
        }
        final long until = Math.min(recvs.completed() + depth, recvs.posted() + random.nextInt(1, depth + 1));
        while (recvs.posted() < until) {
            final long address = recvSlot(recvs.posted());
            NativeMemory.fill(address, mtuBytes + WcFlags.GRH_BYTES, POISON);
            final RecvWorkRequest wr = wrs.recv()
                    .wrId(WrIds.FIRST_RECV + recvs.posted())
                    .next(0)
                    .sge(0, address, mtuBytes + WcFlags.GRH_BYTES, memory.lkey())
                    .numSge(1);
            if (qp.postRecv(wr) != 1) {
                violations.report("receives are taken", where, "receive " + recvs.posted() + " is refused");
                return;
            }
            recvs.onPosted(recvs.posted() + 1);
        }
    }

    /** A completion of a send. */
    void onSendCompletion(final WorkCompletion wc) {
        final int due = signaled.nextSetBit(completed);
        final boolean isFlush = wc.status() == WcStatus.WR_FLUSH_ERR.code();
        final long number = wc.wrId();
        // What was not signaled is flushed like everything else.
        final boolean isDue = isFlush ? number >= completed && (due < 0 || number <= due) : number == due;
        if (!isDue || number >= posted) {
            violations.report(
                    SENDS, where, wc.statusName() + " for send " + number + ", due was " + due + " of " + posted);
            return;
        }
        if (wc.status() != WcStatus.SUCCESS.code() && !(isEnding && isFlush)) {
            violations.report(SENDS, where, wc.statusName() + " for send " + number);
        } else if (!isFlush && wc.opcode() != WcOpcode.SEND.code()) {
            violations.report(SENDS, where, "opcode " + wc.opcode() + " for send " + number);
        }
        for (; completed <= number; completed++) {
            NativeMemory.fill(sendSlot(completed), mtuBytes, POISON);
        }
    }

    /** A completion of a receive; the identity of what has arrived, unsigned, or {@link #NOTHING}. */
    long onRecvCompletion(final WorkCompletion wc, final DatagramBook book) {
        final long number = wc.wrId() - WrIds.FIRST_RECV;
        if (!recvs.onCompletion(number, wc.status())) {
            if (!isEnding) {
                violations.report("receives of datagrams succeed", where, wc.statusName() + " for receive " + number);
            }
            return NOTHING;
        }
        final boolean hasImm = (wc.wcFlags() & WcFlags.WITH_IMM) != 0;
        final int bytes = wc.byteLen() - WcFlags.GRH_BYTES;
        final long address = recvSlot(number) + WcFlags.GRH_BYTES;
        final int identity =
                DatagramWire.read(address, bytes, hasImm, hasImm ? wc.immData() : 0);
        String wrong = wire.wrong(address, identity, bytes, hasImm);
        if ((wc.wcFlags() & WcFlags.GRH) == 0) {
            wrong = "no header is said to be in front of it";
        }
        if (!wrong.isEmpty()) {
            violations.report(
                    DatagramBook.NAME, where,
                    DatagramBook.describe(identity) + ": " + wrong);
            return NOTHING;
        }
        book.onArrived(side, index, identity, wc.srcQp(), where);
        return Integer.toUnsignedLong(identity);
    }

    /** Moves it to ERR: what is left is flushed. */
    void end() {
        if (!isEnding) {
            isEnding = true;
            qp.modify(new QpAttributes().qpState(QpState.ERR));
        }
    }

    /** True when every signaled send has completed and, once it was ended, every receive. */
    boolean isSettled() {
        return signaled.nextSetBit(completed) < 0 && (!isEnding || recvs.completed() == recvs.posted());
    }

    /** What is left, in words. */
    String unsettled() {
        return where + ": " + completed + " of " + posted + " sends completed, " + recvs.completed() + " of "
                + recvs.posted() + " receives";
    }

    private long sendSlot(final int number) {
        return memory.addr() + (long) (number % depth) * mtuBytes;
    }

    private long recvSlot(final long number) {
        return memory.addr() + (long) depth * mtuBytes + number % depth * (mtuBytes + WcFlags.GRH_BYTES);
    }
}
