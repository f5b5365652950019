package io.vhca.bond.control;

import io.vhca.api.AccessFlags;
import io.vhca.api.AsyncEventType;
import io.vhca.api.NativeMemory;
import io.vhca.api.QpState;
import io.vhca.api.SendWrDescriptor;
import io.vhca.api.SgeDescriptor;
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.DutyCycle;
import io.vhca.bond.core.PauseBackoff;
import io.vhca.bond.core.RewindPolicy;
import io.vhca.bond.failover.QpRecovery;
import io.vhca.bond.queue.LocalKeys;
import io.vhca.bond.queue.RegisteredMemory;
import io.vhca.bond.queue.SendOpcodes;
import io.vhca.bond.queue.SendSlots;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.bond.verbs.QpAtomics;
import io.vhca.bond.wire.SendSlotDescriptor;
import java.util.ArrayList;
import java.util.List;

/**
 * Atomics that the responder's bond executes, asked for over the control link, in their place among the vQP's other
 * requests: an atomic is asked for when all before it is done, and what follows it waits. Control lock.
 *
 * <p>Exactly once: the responder executes a sequence once and remembers the result until the next one arrives; a
 * question that was lost with its link is asked again. They run one after the other, on the CPU, so they are atomic for
 * all members and for the CPU as well.
 */
public final class EmulatedAtomics implements DutyCycle {
    private static final long FIRST_PAUSE_NS = 10_000;
    private static final long LONGEST_PAUSE_NS = 1_000_000;
    private static final long RETRY_NS = 20_000_000;

    private final BondCore core;
    private final LocalKeys keys;
    private final RewindPolicy rewindPolicy;
    private final ControlPlane plane;
    private final List<BondQueuePair> waiting = new ArrayList<>();
    private final PauseBackoff pace = new PauseBackoff(FIRST_PAUSE_NS, LONGEST_PAUSE_NS);

    EmulatedAtomics(
            final BondCore core,
            final LocalKeys keys,
            final RewindPolicy rewindPolicy,
            final ControlPlane plane) {
        this.core = core;
        this.keys = keys;
        this.rewindPolicy = rewindPolicy;
        this.plane = plane;
    }

    // ---- requester --------------------------------------------------------------------------------------------------

    /** An atomic of the vQP waits. */
    public void begin(final BondQueuePair qp) {
        assert core.holdsLock();
        if (!waiting.contains(qp)) {
            waiting.add(qp);
        }
        pace.restart();
    }

    /** The vQP is gone. */
    public void end(final BondQueuePair qp) {
        assert core.holdsLock();
        waiting.remove(qp);
    }

    @Override
    public int doWork(final long nowNs) {
        assert core.holdsLock();
        if (waiting.isEmpty() || !pace.isDue(nowNs)) {
            return 0;
        }
        int work = 0;
        for (final BondQueuePair qp : List.copyOf(waiting)) {
            work += step(qp, nowNs);
        }
        pace.onLook(nowNs);
        return work;
    }

    private int step(final BondQueuePair qp, final long nowNs) {
        if (!isLive(qp) || !qp.sendQueue().hasAtomicWaiting()) {
            waiting.remove(qp);
            return 1;
        }
        if (QpRecovery.of(qp).healthyLink() == null) {
            return 0;
        }
        QpRecovery.of(qp).attachment().collect();
        final long sequence = qp.sendQueue().dueAtomic();
        if (sequence < 0) {
            qp.probe(); // its success tells that all before it is done
            return 0;
        }
        final boolean isAsked = qp.atomics().asked() == sequence;
        if (isAsked && nowNs - qp.atomics().askedNs() < RETRY_NS) {
            return 0;
        }
        if (isAsked) {
            qp.probe(); // the peer may not know yet that it is connected, or its device may be gone
        }
        final ControlLink link = plane.linkOf(qp);
        if (link != null && (!isAsked || link.isIdle())) {
            qp.atomics().ask(sequence, nowNs);
            final long wr = qp.sendQueue().slots().address(sequence);
            link.calls().askAtomic(
                    qp, sequence, NativeMemory.getInt(wr + SendWrDescriptor.OPCODE_OFFSET),
                    qp.sendQueue().slots().remoteKey(wr), wr);
        }
        return 1;
    }

    private static boolean isLive(final BondQueuePair qp) {
        return QpRecovery.of(qp).isAlive() && (qp.state() == QpState.RTS || qp.state() == QpState.SQD);
    }

    /** The peer's bond answered. */
    void onResult(final BondQueuePair qp, final long sequence, final int status, final long before) {
        assert core.holdsLock();
        if (!isLive(qp) || qp.atomics().asked() != sequence) {
            return;
        }
        qp.atomics().answered();
        final int placed = status == WcStatus.SUCCESS.code() ? place(qp, sequence, before) : status;
        if (placed != WcStatus.SUCCESS.code()) {
            qp.onSendFailed(sequence, placed, 0);
            return;
        }
        qp.completeOwed(sequence + 1);
        qp.sendQueue().passAtomic(sequence);
    }

    /** Puts the result where the application wants it; the status of the completion. */
    private int place(final BondQueuePair qp, final long sequence, final long before) {
        final SendSlots slots = qp.sendQueue().slots();
        final long sge = slots.address(sequence) + SendSlotDescriptor.SGE_OFFSET;
        final RegisteredMemory region = keys.region(slots.localKey(sequence));
        if (SgeDescriptor.length(sge) != Long.BYTES) {
            return WcStatus.LOC_LEN_ERR.code();
        }
        if (region == null || region.pd() != qp.pd()
                || !region.allows(SgeDescriptor.addr(sge), Long.BYTES, AccessFlags.LOCAL_WRITE)) {
            return WcStatus.LOC_PROT_ERR.code();
        }
        NativeMemory.putLong(SgeDescriptor.addr(sge), before);
        return WcStatus.SUCCESS.code();
    }

    /** When {@link #doWork} has something to do; {@link Long#MAX_VALUE} for never. */
    @Override
    public long nextDeadlineNs() {
        assert core.holdsLock();
        return waiting.isEmpty() ? Long.MAX_VALUE : pace.nextLookNs(core.nowNs());
    }

    // ---- responder --------------------------------------------------------------------------------------------------

    /**
     * The peer asks for an atomic on this side's memory; its result is in the vQP's {@link QpAtomics} afterwards.
     *
     * @return false when there is nothing to answer
     */
    boolean execute(
            final BondQueuePair qp, final long sequence, final int opcode, final int virtualKey,
            final long[] operands) {
        assert core.holdsLock();
        final QpAtomics memory = qp.atomics();
        if (!mayExecute(qp) || sequence < memory.executed()) {
            return false;
        }
        if (sequence == memory.executed() && rewindPolicy.remembersAtomics()) {
            return true;
        }
        final long address = operands[0];
        final RegisteredMemory region = keys.region(virtualKey);
        // What hardware would not serve is refused as it refuses, and in its order.
        if (address % Long.BYTES != 0 || !SendOpcodes.isAtomic(opcode) || !qp.servesAtomics()) {
            memory.remember(sequence, WcStatus.REM_INV_REQ_ERR.code(), 0);
        } else if (!qp.allowsAtomics()
                || region == null
                || region.pd() != qp.pd()
                || !region.allows(address, Long.BYTES, AccessFlags.REMOTE_ATOMIC)) {
            memory.remember(sequence, WcStatus.REM_ACCESS_ERR.code(), 0);
        } else {
            final long before = opcode == WrOpcode.ATOMIC_FETCH_AND_ADD.code()
                    ? NativeMemory.getAndAddLong(address, operands[1])
                    : NativeMemory.compareAndExchangeLong(address, operands[1], operands[2]);
            memory.remember(sequence, WcStatus.SUCCESS.code(), before);
        }
        return true;
    }

    /** A responder may stay in RTR for good. */
    private static boolean mayExecute(final BondQueuePair qp) {
        return isLive(qp) || QpRecovery.of(qp).isAlive() && qp.state() == QpState.RTR;
    }

    /** What an atomic that was refused does to the responder's queue pair, as on hardware. */
    void afterAnswer(final BondQueuePair qp) {
        assert core.holdsLock();
        if (qp.atomics().status() != WcStatus.SUCCESS.code()) {
            final boolean isAccess = qp.atomics().status() == WcStatus.REM_ACCESS_ERR.code();
            QpRecovery.of(qp).onPhysicalQpError(
                    isAccess ? AsyncEventType.QP_ACCESS_ERR : AsyncEventType.QP_REQ_ERR, core.nowNs());
        }
    }
}
