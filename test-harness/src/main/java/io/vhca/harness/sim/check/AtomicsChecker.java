package io.vhca.harness.sim.check;

import io.vhca.api.NativeMemory;
import io.vhca.bond.config.AtomicsMode;
import io.vhca.harness.sim.core.Violations;
import io.vhca.harness.sim.scenario.AtomicPlan;
import io.vhca.harness.sim.scenario.OpPlan;
import io.vhca.recovery.BondError;

/**
 * Each atomic of one direction is executed exactly once, in its place, and its result follows from those before it. A
 * native atomic may instead end in doubt, with the error that says so.
 */
public final class AtomicsChecker {
    private static final String NAME = "an atomic is executed once, in its place";

    private final OpPlan plan;
    private final AtomicsMode mode;
    private final long ownWord;
    private final long commonWord;
    private final String where;
    private final Violations violations;
    private int executedAtLeast;

    /**
     * @param ownWord    address of this direction's word; 0 until it is known
     * @param commonWord address of the word that connections share
     */
    AtomicsChecker(
            final OpPlan plan, final AtomicsMode mode, final long ownWord, final long commonWord, final String where,
            final Violations violations) {
        this.plan = plan;
        this.mode = mode;
        this.ownWord = ownWord;
        this.commonWord = commonWord;
        this.where = where;
        this.violations = violations;
    }

    /** Puts this direction's word, and its part of the common one, into the state before the first operation. */
    void initialise() {
        if (plan.atomics().isUsed()) {
            NativeMemory.putLong(commonWord, plan.atomics().cleared(NativeMemory.getLong(commonWord)));
        }
        NativeMemory.putLong(ownWord, plan.atomics().after(false, 0));
    }

    /** An atomic completed with success; its result is at {@code resultAddress}. */
    public void onCompleted(final int op, final long resultAddress) {
        final AtomicPlan atomics = plan.atomics();
        final boolean isCommon = atomics.isOnCommon(op);
        final long found = atomics.part(isCommon, NativeMemory.getLong(resultAddress));
        if (found != atomics.after(isCommon, op)) {
            violations.report(
                    NAME, where, plan.describe(op) + " brought 0x" + Long.toHexString(found)
                            + ", what is before it leaves 0x" + Long.toHexString(atomics.after(isCommon, op)));
        }
    }

    /** The send queue ended; {@code op} is the first operation that is not done, the atomic may be a later one. */
    public void onFailed(final int op, final int posted, final int vendorErr) {
        final BondError error = BondError.fromVendorErr(vendorErr);
        if (error != BondError.ATOMIC_IN_DOUBT && error != BondError.ATOMIC_RESULT_LOST) {
            return;
        }
        int atomic = op;
        while (atomic < posted && !plan.atomics().isAtomic(atomic)) {
            atomic++;
        }
        if (mode != AtomicsMode.NATIVE || atomic == posted) {
            violations.report(NAME, where, error + " for " + plan.describe(op) + ", atomics are " + mode.text());
        }
        if (error == BondError.ATOMIC_RESULT_LOST) {
            executedAtLeast = atomic + 1;
        }
    }

    /**
     * Message {@code op} was seen by the receiver's application: what is before it was executed.
     *
     * @param posted operations posted by now
     */
    void onMessageSeen(final int op, final int posted) {
        check(op, posted, op);
    }

    /** Nothing is under way: the words hold what at least the first {@code executed} operations left. */
    public void onQuiet(final int executed, final int posted) {
        check(Math.max(executed, executedAtLeast), posted, -1);
    }

    private void check(final int executed, final int posted, final int message) {
        if (plan.atomics().isUsed()) {
            check(false, NativeMemory.getLong(ownWord), executed, posted, message);
            check(true, NativeMemory.getLong(commonWord), executed, posted, message);
        }
    }

    private void check(
            final boolean isCommon, final long word, final int executed, final int posted, final int message) {
        final AtomicPlan atomics = plan.atomics();
        final long found = atomics.part(isCommon, word);
        for (int end = executed; end <= posted; end++) {
            if (atomics.after(isCommon, end) == found) {
                return;
            }
        }
        violations.report(
                NAME, where, (message < 0 ? "at the end" : "after " + plan.describe(message)) + ": the "
                        + (isCommon ? "common" : "own") + " word is 0x" + Long.toHexString(found) + ", should be 0x"
                        + Long.toHexString(atomics.after(isCommon, executed))
                        + (executed == posted ? "" : " or what operations up to " + posted + " make of it"));
    }
}
