package io.vhca.harness.sim.app;

import io.vhca.api.AccessFlags;
import io.vhca.api.MemoryRegion;
import io.vhca.api.QpState;
import io.vhca.api.QueuePair;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.WcStatus;
import io.vhca.api.WorkCompletion;
import io.vhca.api.WrOpcode;
import io.vhca.bond.config.AtomicsMode;
import io.vhca.harness.sim.check.Direction;
import io.vhca.harness.sim.check.PeerMemory;
import io.vhca.harness.sim.check.SendCompletionChecker;
import io.vhca.harness.sim.core.Draws;
import io.vhca.harness.sim.core.Feature;
import io.vhca.harness.sim.core.History;
import io.vhca.harness.sim.core.HistoryEvent;
import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.core.Violations;
import io.vhca.harness.sim.scenario.OpMix;
import io.vhca.harness.sim.scenario.OwnMistake;
import io.vhca.harness.sim.scenario.QpScenario;
import io.vhca.harness.sim.scenario.RnrPatience;
import io.vhca.harness.sim.scenario.Scenario;
import io.vhca.harness.sim.scenario.Trait;
import java.lang.foreign.MemorySegment;
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
    private static final int AFTER_ERROR_STREAM = 80;

    private final int index;
    private final Side side;
    private final QpScenario scenario;
    private final boolean changesKeys;
    private final @Nullable SendPause pause;
    private final AfterError afterError;
    private final RnrSettings rnr;
    private final boolean isBond;
    private final boolean forgets;
    private final long longestWaitNs;
    private final @Nullable SharedReceives shared;
    private final SplittableRandom random;
    private final History history;
    private final Violations violations;
    private final int slotBytes;
    private final SendSlots sendSlots;
    private final ReceiveSlots recvs;
    private final long regionAddress;
    private final long shadowAddress;
    private final ExtraRequest extra = new ExtraRequest();
    private final Feature atomics;
    private final MemoryRegion region;
    private final TargetRegion target;
    /** Where its application errs. */
    private final @Nullable WrongKeys wrongKeys;
    private @Nullable QueuePair qp;
    private @Nullable Direction out;
    private @Nullable Direction in;
    private ConnectionInfo remote = new ConnectionInfo(0, 0, 0, 0, 0, 0);
    private boolean isEstablished;
    private boolean isRefused;
    private boolean hasSharedFailed;
    private boolean isDeviceDead;
    private boolean isDisconnected;
    private boolean isEnded;

    AppConnection(
            final int index, final Side side, final Scenario all, final AppMemory appMemory,
            final AppObjects objects, final SplittableRandom random, final History history,
            final Violations violations) {
        this.index = index;
        this.side = side;
        scenario = all.qps().get(index);
        changesKeys = all.has(Trait.KEY_CHANGES);
        atomics = all.atomics() == AtomicsMode.NATIVE ? Feature.ATOMIC_NATIVE : Feature.ATOMIC_EMULATED;
        pause = all.has(Trait.SEND_PAUSES)
                ? new SendPause(random.split(), "qp " + index + " " + side.label() + " SQD", violations) : null;
        longestWaitNs = OwnMistake.MOST_BUDGETS * all.transport().retryBudgetNs();
        afterError = new AfterError(Draws.stream(all.seed(), AFTER_ERROR_STREAM + 2 * index + side.ordinal()));
        rnr = new RnrSettings(
                RnrPatience.of(all, index, side), "qp " + index + " " + side.label(), violations);
        isBond = all.isBond();
        forgets = !isBond && !all.has(Trait.loneBond(side)) && all.has(Trait.POSTS_IN_ERR_FORGOTTEN);
        shared = objects.shared();
        this.random = random;
        this.history = history;
        this.violations = violations;
        slotBytes = scenario.maxMessageBytes();
        final long sendBytes = (long) slotBytes * scenario.sendDepth();
        final long recvBytes = (long) slotBytes * scenario.recvDepth();
        final int regionBytes = scenario.plan(side.other()).regionBytes();
        final MemorySegment memory = appMemory.allocate(sendBytes + recvBytes + regionBytes + 2 * Long.BYTES);
        shadowAddress = appMemory.allocate(2L * regionBytes).address();
        regionAddress = memory.address() + sendBytes + recvBytes;
        sendSlots = new SendSlots(appMemory.wrs(), memory.address(), scenario.sendDepth(), slotBytes);
        recvs = new ReceiveSlots(
                appMemory.wrs(), memory.address() + sendBytes, scenario.recvDepth(), slotBytes, scenario.maxSge(),
                random, "qp " + index + " " + side.label() + " receives", violations);
        region = objects.resources().opened(objects.pd().regMr(memory, AccessFlags.LOCAL_WRITE));
        final OwnMistake mistake = OwnMistake.of(all);
        wrongKeys = mistake != null && mistake.qp() == index && mistake.side() == side
                ? new WrongKeys(objects, memory) : null;
        final long word = PeerMemory.wordAddress(regionAddress, regionBytes);
        target = new TargetRegion(
                objects.pd(), memory.asSlice(regionAddress - memory.address(), word + Long.BYTES - regionAddress),
                objects.resources(), random.split());
    }

    int index() {
        return index;
    }

    /** What the peer addresses. */
    TargetRegion target() {
        return target;
    }

    /** Changes what may be changed under traffic. */
    void change(final long nowNs) {
        if (!isEstablished || qp == null || out == null || in == null || isDisconnected || isDeviceDead) {
            return;
        }
        if (isBond) {
            rnr.onTurn(qp);
        }
        if (changesKeys && target.registerAnew(in)) {
            history.used(Feature.KEY_CHANGE, 1);
        }
        if (pause != null && hasFailed()) {
            pause.end(out);
        } else if (pause != null && pause.step(nowNs, qp, out)) {
            history.add(nowNs, side.ordinal(), index, HistoryEvent.PAUSED, out.sends().posted(), 0);
            history.used(Feature.SEND_PAUSE, 1);
        }
    }

    /** What it has said of receivers that are not ready. */
    RnrSettings rnr() {
        return rnr;
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
        return target.rkey();
    }

    /** A new QP for this end; whatever an earlier attempt had posted is forgotten. */
    void attach(final QueuePair newQp, final Direction newOut, final Direction newIn) {
        if (pause != null && out != null) {
            pause.end(out);
        }
        qp = newQp;
        out = newOut;
        in = newIn;
        recvs.reset();
        rnr.reset();
        afterError.reset(newOut.mistake() != null || newIn.mistake() != null);
        isEstablished = false;
        isRefused = false;
        hasSharedFailed = false;
        isDisconnected = false;
        isEnded = false;
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

    /** All is done, and the peer may move its QP to RESET before this one is: then this end fails, and is flushed. */
    void endLife() {
        isEstablished = false;
        onFlushAllowed();
    }

    /** The QP is about to be destroyed. */
    void detach() {
        qp = null;
        isEstablished = false;
    }

    @Nullable QueuePair qp() {
        return qp;
    }

    /** An application ends the connection under traffic: this one, or its peer's. */
    void endEarly(final long nowNs, final boolean isByThis, final long silenceNs) {
        isEnded = isByThis;
        afterError.reset(true);
        if (isByThis && silenceNs > 0) {
            afterError.onMistake(nowNs, silenceNs);
        }
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
        } else if (out != null) {
            out.sends().onFatal();
        }
    }

    /** The only device is dead, and with it all that was opened on it. */
    void onDeviceDied() {
        isDeviceDead = true;
        onFlushAllowed();
    }

    /** It was ended, or its device is dead, whatever was posted. */
    boolean isCutOff() {
        return isDisconnected || isDeviceDead;
    }

    /** Something was said that lets flushes come without an error before them. */
    void onFlushAllowed() {
        if (out != null) {
            out.sends().onDisconnect();
        }
    }

    /** True when the QP ended in error, or refuses posts. */
    public boolean hasFailed() {
        return out != null && (out.sends().hasFailed() || recvs.checker().hasFailed() || hasSharedFailed || isRefused);
    }

    /** True when nothing is left to do. */
    boolean isFinished(final boolean hasPeerFailed) {
        if (isExtraOwed()) {
            return false;
        }
        if (out == null || in == null || !isEstablished) {
            return hasPeerFailed;
        }
        final SendCompletionChecker sends = out.sends();
        if (hasFailed() && !isDisconnected && lateSends() + lateReceives() > 0) {
            return false;
        }
        if (hasFailed() || isDisconnected || isEnded) {
            return sends.isSettled() && (shared != null || recvs.checker().isSettled());
        }
        if (sends.completed() < sends.posted()) {
            return false;
        }
        return hasPeerFailed || sends.posted() == out.plan().count() && in.isReceived();
    }

    /** Who destroys the queue pair hears no more of it, nor who lost the device. */
    private boolean isExtraOwed() {
        return qp != null && !isDeviceDead && extra.isAwaited();
    }

    /** What is left to do, in words. */
    String unfinished() {
        if (isExtraOwed()) {
            return "the request at the end has no completion";
        }
        if (out == null || in == null || !isEstablished) {
            return "not connected";
        }
        final SendCompletionChecker sends = out.sends();
        if (sends.completed() < sends.posted()) {
            return out.plan().describe(sends.completed()) + " has no completion (" + sends.completed() + " of "
                    + sends.posted() + ")";
        }
        if (hasFailed() || isDisconnected) {
            return (isRefused ? "posts are refused, " : "") + "receive " + recvs.checker().completed() + " of "
                    + recvs.checker().posted() + " not flushed";
        }
        if (sends.posted() < out.plan().count()) {
            return sends.posted() + " of " + out.plan().count() + " operations posted";
        }
        return in.isReceived() ? "nothing" : in.describeNext() + " has not arrived";
    }

    /**
     * Whether what was posted just now may have no completion: the queue pair failed before its application heard of
     * it, and no bond stands between it and a device that forgets what is posted in ERR.
     */
    private boolean isForgetful(final QueuePair queue) {
        return forgets && queue.state() == QpState.ERR;
    }

    /** Posts receives until the window is full, or a random part of it. */
    void refill(final long nowNs, final boolean isComplete) {
        final QueuePair queue = qp;
        if (in != null && (hasFailed() || isDisconnected || isDeviceDead)) {
            in.receives(Long.MAX_VALUE);
        }
        if (queue == null || shared != null || isDisconnected) {
            return;
        }
        if (hasFailed()) {
            afterError.received(recvs.post(queue, region.lkey(), lateReceives()));
            return;
        }
        final long first = recvs.checker().posted();
        if (recvs.refill(queue, region.lkey(), isComplete)) {
            if (isForgetful(queue)) {
                recvs.checker().mayForgetFrom(first);
            }
            history.add(
                    nowNs, side.ordinal(), index, HistoryEvent.POST_RECV, recvs.checker().posted(), 0);
            if (in != null) {
                in.receives(recvs.checker().posted());
            }
        }
    }

    /** Posts the next operations of the plan, as far as the window allows. Returns how many. */
    int post(final long nowNs) {
        final QueuePair queue = qp;
        final Direction direction = out;
        if (queue == null || direction == null || !isEstablished || isDisconnected) {
            return 0;
        }
        final SendCompletionChecker sends = direction.sends();
        final int free = scenario.sendDepth() - (sends.posted() - sends.completed());
        final int left = hasFailed() ? lateSends() : direction.plan().count() - sends.posted();
        int budget = Math.min(free, left);
        int posted = 0;
        while (budget > 0) {
            final int first = sends.posted();
            final int most = Math.min(budget, Math.min(direction.plan().chainLength(first), WrBlock.MAX_CHAIN));
            final int chain = hasFailed() ? most : direction.coveredOf(first, most);
            if (chain == 0) {
                break;
            }
            final int rkey = direction.rkeyOr(remote.rkey());
            final SendWorkRequest wr =
                    sendSlots.write(direction.plan(), first, chain, remote, rkey, region.lkey());
            err(nowNs, direction, first, chain, rkey);
            final int result = queue.postSend(wr);
            if (result <= 0) {
                if ((hasFailed() || isEnded) && !isDeviceDead) {
                    violations.report(
                            "a queue pair in ERR flushes what is posted", side.label() + " qp " + index,
                            "op " + first + " is refused with " + result);
                }
                refused(nowNs, first, result);
                break;
            }
            if (hasFailed()) {
                afterError.sent(result);
            }
            sends.onPosted(first + result);
            if (isForgetful(queue)) {
                sends.mayForgetFrom(first);
            }
            history.add(nowNs, side.ordinal(), index, HistoryEvent.POST_SEND, first, result);
            sendSlots.poisonInline(direction.plan(), first, result);
            posted += result;
            budget -= result;
            if (random.nextInt(4) == 0) {
                break;
            }
        }
        return posted;
    }

    /** Where the chain has the operation that the application gets wrong. */
    private void err(
            final long nowNs, final Direction direction, final int first, final int chain, final int rkey) {
        final OwnMistake mistake = direction.mistake();
        if (mistake != null && mistake.op() >= first && mistake.op() < first + chain) {
            final int lkey = wrongKeys == null ? mistake.key() : wrongKeys.of(mistake, direction.plan());
            sendSlots.spoil(mistake.op() - first, direction.plan(), mistake, remote, rkey, lkey);
            afterError.onMistake(nowNs, mistake.silenceNs());
            history.add(nowNs, side.ordinal(), index, HistoryEvent.MISTAKE, mistake.op(), mistake.kind().ordinal());
            history.used(Feature.OWN_MISTAKE, 1);
        }
    }

    /** True while the application polls nothing, after a mistake. */
    boolean isSilent(final long nowNs) {
        return qp != null && afterError.isSilent(nowNs);
    }

    /** Sends that are still to be posted, now that it has failed. */
    private int lateSends() {
        return out == null || isRefused || isDeviceDead
                ? 0 : Math.min(afterError.sendsLeft(), out.plan().count() - out.sends().posted());
    }

    /** Receives that are. */
    private int lateReceives() {
        return shared != null || isRefused || isDeviceDead ? 0 : afterError.recvsLeft();
    }

    /** True when it has failed where an application erred, all that was posted is back, and it is time to end it. */
    boolean isOver(final long nowNs) {
        return afterError.isOn() && isEstablished && qp != null && !isDisconnected && !isDeviceDead && hasFailed()
                && isFinished(true) && afterError.mayEnd(nowNs, longestWaitNs);
    }

    boolean isInError() {
        return qp != null && qp.state() == QpState.ERR;
    }

    private void refused(final long nowNs, final int op, final int result) {
        history.add(nowNs, side.ordinal(), index, HistoryEvent.POST_REFUSED, op, result);
        isRefused = true;
    }

    /** True when it is connected and nothing has gone wrong. */
    boolean works() {
        return isEstablished && qp != null && !hasFailed() && !isDisconnected && !isEnded && !isDeviceDead;
    }

    /** The request that it may have posted when all was done. */
    ExtraRequest extra() {
        return extra;
    }

    /** Posts one request more than is planned, of few bytes, to the peer's region. */
    void postExtra(final long nowNs, final WrOpcode opcode, final int rkey) {
        final int length = OpMix.isAtomic(opcode) ? Long.BYTES : Math.min(Long.BYTES, slotBytes);
        onFlushAllowed();
        final SendWorkRequest wr = sendSlots.extra(length, region.lkey());
        if (qp != null && extra.post(qp, wr, length, opcode, remote.regionAddress(), rkey)) {
            history.add(nowNs, side.ordinal(), index, HistoryEvent.EXTRA_REQUEST, opcode.code(), rkey);
            history.used(Feature.EXTRA_REQUEST, 1);
        }
    }

    /** A completion of this QP's send queue was polled. */
    void onSendCompletion(final long nowNs, final WorkCompletion wc) {
        if (wc.wrId() == WrIds.EXTRA) {
            history.add(nowNs, side.ordinal(), index, HistoryEvent.EXTRA_REQUEST_DONE, wc.status(), 0);
            if (!extra.isAwaited()) {
                violations.report(
                        "completed once and in order", side.label() + " qp " + index,
                        WcStatus.fromCode(wc.status()) + " for the request at the end, which was complete already");
            }
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
        final int before = out.sends().succeeded();
        out.onSendCompletion(wc, sendSlots::of);
        for (int op = before; op < out.sends().succeeded(); op++) {
            history.used(atomics, out.plan().atomics().isAtomic(op) ? 1 : 0);
            sendSlots.poison(op);
        }
    }

    /** A completion of this QP's receive queue was polled. */
    void onRecvCompletion(final long nowNs, final WorkCompletion wc) {
        final long number = wc.wrId() - WrIds.FIRST_RECV;
        history.add(nowNs, side.ordinal(), index, HistoryEvent.RECV_DONE, number, wc.status());
        final long address = shared == null ? recvs.of(number) : shared.onCompletion(wc.wrId(), wc.status());
        if (shared != null) {
            hasSharedFailed |= address == 0;
            history.used(Feature.SHARED_RECEIVE, 1);
        }
        if (in == null || (shared == null ? !recvs.checker().onCompletion(number, wc.status()) : address == 0)) {
            return;
        }
        final int op = in.onReceived(wc, address);
        history.add(nowNs, side.ordinal(), index, HistoryEvent.RECEIVED, op, wc.byteLen());
    }
}
