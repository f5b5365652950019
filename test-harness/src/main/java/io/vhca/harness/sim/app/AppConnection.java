package io.vhca.harness.sim.app;

import io.vhca.api.AccessFlags;
import io.vhca.api.MemoryRegion;
import io.vhca.api.NativeMemory;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QueuePair;
import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.WcFlags;
import io.vhca.api.WcStatus;
import io.vhca.api.WorkCompletion;
import io.vhca.api.WrOpcode;
import io.vhca.bond.AtomicsMode;
import io.vhca.harness.sim.check.Direction;
import io.vhca.harness.sim.check.LeakChecker;
import io.vhca.harness.sim.check.PeerMemory;
import io.vhca.harness.sim.check.ReceiveCompletionChecker;
import io.vhca.harness.sim.check.SendCompletionChecker;
import io.vhca.harness.sim.core.Content;
import io.vhca.harness.sim.core.Feature;
import io.vhca.harness.sim.core.History;
import io.vhca.harness.sim.core.HistoryEvent;
import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.core.Violations;
import io.vhca.harness.sim.scenario.AtomicPlan;
import io.vhca.harness.sim.scenario.OpMix;
import io.vhca.harness.sim.scenario.OpPlan;
import io.vhca.harness.sim.scenario.QpScenario;
import io.vhca.harness.sim.scenario.Scenario;
import io.vhca.harness.sim.scenario.Trait;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * One side's end of one connection, data path only: posts what the plan says, keeps receives posted, hands every
 * completion to the checkers.
 *
 * <pre>
 *   memory:  | send slots (window x largest message) | receive slots | region that the peer addresses | word |
 * </pre>
 */
public final class AppConnection {
    /** Work request ids of receives begin here, so that a failed completion on a shared CQ can be told apart. */
    static final long RECV_WR_ID = 1L << 40;

    private static final byte POISON = (byte) 0xd7;

    private final int index;
    private final Side side;
    private final QpScenario scenario;
    private final boolean changesKeys;
    private final @Nullable SendPause pause;
    private final @Nullable SharedReceives shared;
    private final WrBlock wrs;
    private final SplittableRandom random;
    private final History history;
    private final Violations violations;
    private final MemorySegment memory;
    private final int slotBytes;
    private final long recvAddress;
    private final long regionAddress;
    private final long shadowAddress;
    private final ExtraRequest extra = new ExtraRequest();
    private final int regionBytes;
    private final Feature atomics;
    private @Nullable MemoryRegion region;
    private @Nullable TargetRegion target;
    private @Nullable QueuePair qp;
    private @Nullable Direction out;
    private @Nullable Direction in;
    private ReceiveCompletionChecker recvs;
    private ConnectionInfo remote = new ConnectionInfo(0, 0, 0, 0, 0, 0);
    private boolean isEstablished;
    private boolean isRefused;
    private boolean hasSharedFailed;
    private boolean isDeviceDead;
    private boolean isDisconnected;

    AppConnection(
            final int index, final Side side, final Scenario all, final AppMemory appMemory, final WrBlock wrs,
            final SplittableRandom random, final @Nullable SharedReceives shared, final History history,
            final Violations violations) {
        this.index = index;
        this.side = side;
        scenario = all.qps().get(index);
        changesKeys = all.has(Trait.KEY_CHANGES);
        atomics = all.atomics() == AtomicsMode.NATIVE ? Feature.ATOMIC_NATIVE : Feature.ATOMIC_EMULATED;
        pause = all.has(Trait.SEND_PAUSES)
                ? new SendPause(random.split(), "qp " + index + " " + side.label() + " SQD", violations) : null;
        this.shared = shared;
        this.wrs = wrs;
        this.random = random;
        this.history = history;
        this.violations = violations;
        slotBytes = scenario.maxMessageBytes();
        final long sendBytes = (long) slotBytes * scenario.sendDepth();
        final long recvBytes = (long) slotBytes * scenario.recvDepth();
        regionBytes = scenario.plan(side.other()).regionBytes();
        memory = appMemory.allocate(sendBytes + recvBytes + regionBytes + 2 * Long.BYTES);
        shadowAddress = appMemory.allocate(2L * regionBytes).address();
        recvAddress = memory.address() + sendBytes;
        regionAddress = recvAddress + recvBytes;
        recvs = newRecvs();
    }

    int index() {
        return index;
    }

    QpScenario scenario() {
        return scenario;
    }

    /** Registers the memory; once a scenario. */
    void register(final ProtectionDomain pd, final LeakChecker resources) {
        region = resources.opened(pd.regMr(memory, AccessFlags.LOCAL_WRITE));
        final long word = PeerMemory.wordAddress(regionAddress, regionBytes);
        target = new TargetRegion(
                pd, memory.asSlice(regionAddress - memory.address(), word + Long.BYTES - regionAddress), resources,
                random.split());
    }

    /** What the peer addresses. */
    TargetRegion target() {
        return Objects.requireNonNull(target, "memory is used before it was registered");
    }

    /** Changes what may be changed under traffic. */
    void change(final long nowNs) {
        if (!isEstablished || qp == null || out == null || in == null || isDisconnected || isDeviceDead) {
            return;
        }
        if (changesKeys && target().churn(in)) {
            history.used(Feature.KEY_CHANGE, 1);
        }
        if (pause != null && hasFailed()) {
            pause.end(out);
        } else if (pause != null && pause.step(nowNs, qp, out)) {
            history.add(nowNs, side.ordinal(), index, HistoryEvent.PAUSED, out.sends().posted(), 0);
            history.used(Feature.SEND_PAUSE, 1);
        }
    }

    /** SQ_DRAINED. */
    void onDrained(final long nowNs) {
        if (pause != null) {
            pause.onDrained(nowNs);
        }
    }

    /** The CQ of its sends was polled, and had nothing. */
    void onSendsEmpty() {
        if (pause != null) {
            pause.onEmpty();
        }
    }

    /** What the peer addresses. */
    long regionAddress() {
        return regionAddress;
    }

    /** Where all of it lies. */
    PeerMemory forPeer(final long commonWordAddress) {
        return new PeerMemory(regionAddress, shadowAddress, commonWordAddress);
    }

    int rkey() {
        return target().rkey();
    }

    /** A new QP for this end; whatever an earlier attempt had posted is forgotten. */
    void attach(final QueuePair newQp, final Direction newOut, final Direction newIn) {
        qp = newQp;
        out = newOut;
        in = newIn;
        recvs = newRecvs();
        isEstablished = false;
        isRefused = false;
        hasSharedFailed = false;
        isDisconnected = false;
    }

    /** Both ends know each other: posting of sends may begin. */
    void establish(final ConnectionInfo peer) {
        remote = peer;
        isEstablished = true;
    }

    boolean isEstablished() {
        return isEstablished;
    }

    boolean isDisconnected() {
        return isDisconnected;
    }

    /** The QP is about to be destroyed. */
    void detach() {
        qp = null;
        isEstablished = false;
    }

    @Nullable QueuePair qp() {
        return qp;
    }

    /** One of the applications ends the connection. */
    void onDisconnect() {
        isDisconnected = true;
        onFlushAllowed();
    }

    /** QP_FATAL: the only word where nothing was posted that could be flushed. */
    void onFatal(final boolean isWithoutReason) {
        hasSharedFailed |= shared != null;
        if (isWithoutReason) {
            onFlushAllowed();
        }
    }

    /** The only device is dead, and with it all that was opened on it. */
    void onDeviceDied() {
        isDeviceDead = true;
        onFlushAllowed();
    }

    /** Something was said that lets flushes come without an error before them. */
    void onFlushAllowed() {
        if (out != null) {
            out.sends().onDisconnect();
        }
    }

    /** True when the QP ended in error, or refuses posts. */
    public boolean hasFailed() {
        return out != null && (out.sends().hasFailed() || recvs.hasFailed() || hasSharedFailed || isRefused);
    }

    /** The first error that a completion carried; SUCCESS while there is none. */
    WcStatus firstError() {
        if (out != null && out.sends().hasFailed()) {
            return out.sends().firstError();
        }
        return recvs.firstError();
    }

    /** True when nothing is left to do. */
    boolean isFinished(final boolean hasPeerFailed) {
        if (out == null || in == null || !isEstablished) {
            return hasPeerFailed;
        }
        final SendCompletionChecker sends = out.sends();
        if (hasFailed() || isDisconnected) {
            return sends.isSettled() && (shared != null || recvs.completed() == recvs.posted());
        }
        if (sends.completed() < sends.posted()) {
            return false;
        }
        return hasPeerFailed || sends.posted() == out.plan().count() && in.isReceived();
    }

    /** What is left to do, in words. */
    String unfinished() {
        if (out == null || in == null || !isEstablished) {
            return "not connected";
        }
        final SendCompletionChecker sends = out.sends();
        if (sends.completed() < sends.posted()) {
            return out.plan().describe(sends.completed()) + " has no completion (" + sends.completed() + " of "
                    + sends.posted() + ")";
        }
        if (hasFailed() || isDisconnected) {
            return (isRefused ? "posts are refused, " : "") + "receive " + recvs.completed() + " of " + recvs.posted()
                    + " not flushed";
        }
        if (sends.posted() < out.plan().count()) {
            return sends.posted() + " of " + out.plan().count() + " operations posted";
        }
        return in.isReceived() ? "nothing" : in.plan().describe(in.delivery().nextOp()) + " has not arrived";
    }

    /** Posts receives until the window is full, or a random part of it. */
    void refill(final long nowNs, final boolean isComplete) {
        final QueuePair queue = qp;
        if (queue == null || shared != null || hasFailed() || isDisconnected) {
            return;
        }
        final long window = recvs.completed() + scenario.recvDepth();
        final long until =
                isComplete ? window : Math.min(window, recvs.posted() + random.nextInt(1, scenario.recvDepth() + 1));
        final long before = recvs.posted();
        long number = before;
        while (number < until && postOneRecv(queue, number)) {
            number++;
        }
        if (number > before) {
            recvs.onPosted(number);
            history.add(nowNs, side.ordinal(), index, HistoryEvent.POST_RECV, number, 0);
        }
    }

    private boolean postOneRecv(final QueuePair queue, final long number) {
        final long address = recvSlot(number);
        NativeMemory.fill(address, slotBytes, POISON);
        final RecvWorkRequest wr = wrs.recv().wrId(RECV_WR_ID + number).next(0);
        final int sges = random.nextInt(1, Math.min(scenario.maxSge(), slotBytes) + 1);
        final int firstBytes = sges == 1 ? slotBytes : random.nextInt(1, slotBytes - sges + 2);
        wr.sge(0, address, firstBytes, mr().lkey()).numSge(sges);
        spread(address + firstBytes, slotBytes - firstBytes, sges, wr);
        return queue.postRecv(wr) == 1;
    }

    private void spread(final long address, final int lengthBytes, final int sges, final RecvWorkRequest wr) {
        int done = 0;
        for (int sge = 1; sge < sges; sge++) {
            final int part = sge == sges - 1 ? lengthBytes - done : lengthBytes / (sges - 1);
            wr.sge(sge, address + done, part, mr().lkey());
            done += part;
        }
    }

    /** Posts the next operations of the plan, as far as the window allows. Returns how many. */
    int post(final long nowNs) {
        final QueuePair queue = qp;
        final Direction direction = out;
        if (queue == null || direction == null || !isEstablished || hasFailed() || isDisconnected) {
            return 0;
        }
        final SendCompletionChecker sends = direction.sends();
        final int free = scenario.sendDepth() - (sends.posted() - sends.completed());
        int budget = Math.min(free, direction.plan().count() - sends.posted());
        int posted = 0;
        while (budget > 0) {
            final int first = sends.posted();
            final int chain = Math.min(budget, Math.min(direction.plan().chainLength(first), WrBlock.MAX_CHAIN));
            final int result = postChain(queue, direction, first, chain);
            if (result <= 0) {
                refused(nowNs, first, result);
                break;
            }
            sends.onPosted(first + result);
            history.add(nowNs, side.ordinal(), index, HistoryEvent.POST_SEND, first, result);
            scribbleInline(direction.plan(), first, result);
            posted += result;
            budget -= result;
            if (random.nextInt(4) == 0) {
                break;
            }
        }
        return posted;
    }

    private int postChain(final QueuePair queue, final Direction direction, final int first, final int chain) {
        for (int i = 0; i < chain; i++) {
            write(wrs.send(i), direction.plan(), first + i);
            wrs.send(i).next(i + 1 < chain ? wrs.send(i + 1).address() : 0);
        }
        return queue.postSend(wrs.send(0));
    }

    private void write(final SendWorkRequest wr, final OpPlan plan, final int op) {
        final int length = plan.lengthBytes(op);
        final long address = sendSlot(op);
        if (plan.isRead(op) || plan.atomics().isAtomic(op)) {
            NativeMemory.fill(address, slotBytes, POISON);
        } else {
            Content.fill(address, length, plan.contentKey(op));
        }
        wr.wrId(op).opcode(plan.opcode(op)).sendFlags(plan.flags(op));
        if (plan.hasImm(op)) {
            wr.immData(plan.imm(op));
        }
        if (OpMix.addressesRegion(plan.opcode(op))) {
            wr.rdma(remote.regionAddress() + plan.regionOffset(op), remoteRkey());
        } else if (plan.atomics().isAtomic(op)) {
            aim(wr, plan, op);
        }
        final int sges = length == 0 ? 0 : plan.atomics().isAtomic(op) ? 1 : Math.min(plan.sgeCount(op), length);
        int done = 0;
        for (int sge = 0; sge < sges; sge++) {
            final int part = sge == sges - 1 ? length - done : length / sges;
            wr.sge(sge, address + done, part, mr().lkey());
            done += part;
        }
        wr.numSge(sges);
    }

    private int remoteRkey() {
        return out == null ? 0 : out.rkeyOr(remote.rkey());
    }

    private void aim(final SendWorkRequest wr, final OpPlan plan, final int op) {
        final AtomicPlan atomics = plan.atomics();
        if (atomics.isOnCommon(op)) {
            wr.atomic(remote.commonAddress(), remote.commonRkey(), atomics.compareAdd(op), 0);
        } else {
            final long word = PeerMemory.wordAddress(remote.regionAddress(), plan.regionBytes());
            wr.atomic(word, remoteRkey(), atomics.compareAdd(op), atomics.swap(op));
        }
    }

    private void refused(final long nowNs, final int op, final int result) {
        history.add(nowNs, side.ordinal(), index, HistoryEvent.POST_REFUSED, op, result);
        isRefused = true;
    }

    private void scribbleInline(final OpPlan plan, final int first, final int count) {
        for (int op = first; op < first + count; op++) {
            if ((plan.flags(op) & SendFlags.INLINE) != 0) {
                NativeMemory.fill(sendSlot(op), slotBytes, POISON);
            }
        }
    }

    /** True when it is connected and nothing has gone wrong. */
    boolean works() {
        return isEstablished && qp != null && !hasFailed() && !isDisconnected && !isDeviceDead;
    }

    /** The request that it may have posted when all was done. */
    ExtraRequest extra() {
        return extra;
    }

    /** Posts one request more than is planned, of few bytes, to the peer's region. */
    void postExtra(final long nowNs, final WrOpcode opcode, final int rkey) {
        final int length = OpMix.isAtomic(opcode) ? Long.BYTES : Math.min(Long.BYTES, slotBytes);
        NativeMemory.fill(memory.address(), length, POISON);
        onFlushAllowed();
        final SendWorkRequest wr = wrs.send(0).sge(0, memory.address(), length, mr().lkey()).numSge(1);
        if (qp != null && extra.post(qp, wr, opcode, remote.regionAddress(), rkey)) {
            history.add(nowNs, side.ordinal(), index, HistoryEvent.EXTRA_REQUEST, opcode.code(), rkey);
            history.used(Feature.EXTRA_REQUEST, 1);
        }
    }

    /** A completion of this QP's send queue was polled. */
    void onSendCompletion(final long nowNs, final WorkCompletion wc) {
        if (wc.wrId() == ExtraRequest.WR_ID) {
            history.add(nowNs, side.ordinal(), index, HistoryEvent.EXTRA_REQUEST_DONE, wc.status(), 0);
            extra.onCompletion(wc.status());
            return;
        }
        history.add(nowNs, side.ordinal(), index, HistoryEvent.SEND_DONE, wc.wrId(), wc.status());
        if (out == null) {
            violations.report("completed once and in order", side.label(), "a completion for a QP that is not there");
            return;
        }
        if (pause != null) {
            pause.onCompletion(wc.wrId(), wc.status());
        }
        final SendCompletionChecker sends = out.sends();
        final int before = sends.succeeded();
        final boolean wasGood = !sends.hasFailed();
        sends.onCompletion(wc.wrId(), wc.status(), wc.opcode(), wc.byteLen());
        if (wasGood && sends.hasFailed()) {
            out.atomics().onFailed(sends.completed() - 1, sends.posted(), wc.vendorErr());
        }
        for (int op = before; op < sends.succeeded(); op++) {
            if (out.plan().isRead(op)) {
                out.memory().onReadCompleted(op, sendSlot(op), sends.posted());
            } else if (out.plan().atomics().isAtomic(op)) {
                out.atomics().onCompleted(op, sendSlot(op));
                history.used(atomics, 1);
            }
            NativeMemory.fill(sendSlot(op), slotBytes, POISON);
        }
    }

    /** A completion of this QP's receive queue was polled. */
    void onRecvCompletion(final long nowNs, final WorkCompletion wc) {
        final long number = wc.wrId() - RECV_WR_ID;
        history.add(nowNs, side.ordinal(), index, HistoryEvent.RECV_DONE, number, wc.status());
        final long address = shared == null ? recvSlot(number) : shared.onCompletion(wc.wrId(), wc.status());
        if (shared != null) {
            hasSharedFailed |= address == 0;
            history.used(Feature.SHARED_RECEIVE, 1);
        }
        if (in == null || (shared == null ? !recvs.onCompletion(number, wc.status()) : address == 0)) {
            return;
        }
        final int op = in.delivery()
                .onReceived(
                        wc.opcode(), wc.byteLen(), (wc.wcFlags() & WcFlags.WITH_IMM) != 0, wc.immData(),
                        address);
        history.add(nowNs, side.ordinal(), index, HistoryEvent.RECEIVED, op, wc.byteLen());
        if (op >= 0) {
            in.onArrived(op);
        }
    }

    private long sendSlot(final int op) {
        return memory.address() + (long) (op % scenario.sendDepth()) * slotBytes;
    }

    private long recvSlot(final long number) {
        return recvAddress + number % scenario.recvDepth() * slotBytes;
    }

    private MemoryRegion mr() {
        if (region == null) {
            throw new IllegalStateException("memory is used before it was registered");
        }
        return region;
    }

    private ReceiveCompletionChecker newRecvs() {
        return new ReceiveCompletionChecker("qp " + index + " " + side.label() + " receives", violations);
    }
}
