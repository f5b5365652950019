package io.vhca.harness.sim.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.NativeMemory;
import io.vhca.api.WrOpcode;
import io.vhca.bond.config.AtomicsMode;
import io.vhca.harness.sim.core.Violations;
import io.vhca.harness.sim.scenario.AtomicPlan;
import io.vhca.harness.sim.scenario.OpPlan;
import io.vhca.recovery.BondError;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a peer may do with atomics, and what it may not. */
class AtomicsCheckerTest {
    private static final WrOpcode ADD = WrOpcode.ATOMIC_FETCH_AND_ADD;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment own = arena.allocate(Long.BYTES, Long.BYTES);
    private final MemorySegment common = arena.allocate(Long.BYTES, Long.BYTES);
    private final MemorySegment result = arena.allocate(Long.BYTES, Long.BYTES);
    private final Violations violations = new Violations();
    private final OpPlan plan = plan();
    private final AtomicsChecker checker = checker(AtomicsMode.EMULATED);

    private static OpPlan plan() {
        final OpPlan plan = new OpPlan(7, 5, 64, 2);
        plan.add(ADD, Long.BYTES, 0, 0, 1, 1);
        plan.add(ADD, Long.BYTES, 1, 0, 1, 1);
        plan.add(WrOpcode.ATOMIC_CMP_AND_SWP, Long.BYTES, 0, 0, 1, 1);
        plan.add(WrOpcode.SEND, 1, 0, 0, 1, 1);
        plan.add(ADD, Long.BYTES, 1, 0, 1, 1);
        return plan;
    }

    private AtomicsChecker checker(final AtomicsMode mode) {
        final AtomicsChecker made =
                new AtomicsChecker(plan, mode, own.address(), common.address(), "here", violations);
        made.initialise();
        return made;
    }

    @AfterEach
    void close() {
        arena.close();
    }

    /** As a responder does it. */
    private void execute(final int op) {
        final AtomicPlan atomics = plan.atomics();
        final long word = atomics.isOnCommon(op) ? common.address() : own.address();
        final long before = plan.opcode(op) == ADD
                ? NativeMemory.getAndAddLong(word, atomics.compareAdd(op))
                : NativeMemory.compareAndExchangeLong(word, atomics.compareAdd(op), atomics.swap(op));
        NativeMemory.putLong(result.address(), before);
    }

    @Test
    void eachOnceInOrderIsRight() {
        for (int op = 0; op < plan.count(); op++) {
            if (op == 3) {
                checker.onMessageSeen(op, plan.count());
            } else {
                execute(op);
                checker.onCompleted(op, result.address());
            }
        }
        checker.onQuiet(plan.count(), plan.count());
        assertThat(violations.texts()).isEmpty();
        assertThat(NativeMemory.getLong(common.address())).as("the third connection's part").isEqualTo(2L << 32);
    }

    @Test
    void oneThatRanTwiceIsCaughtByItsResultAndByTheWord() {
        for (final int twice : new int[] {0, 1}) {
            execute(twice);
            execute(twice);
            checker.onCompleted(twice, result.address());
            assertThat(violations.count()).as("result of %d", twice).isPositive();
        }
        final int before = violations.count();
        checker.onQuiet(2, 2);
        assertThat(violations.count()).isEqualTo(before + 2);
    }

    @Test
    void oneThatIsMissingBehindASeenMessageIsCaught() {
        execute(0);
        execute(2);
        checker.onMessageSeen(3, plan.count());
        assertThat(violations.texts()).singleElement().asString().contains("common word");
    }

    @Test
    void whatWasNotReportedMayHaveRunOrNot() {
        execute(0);
        checker.onQuiet(0, 3);
        execute(1);
        checker.onQuiet(1, 3);
        assertThat(violations.texts()).isEmpty();
    }

    @Test
    void onlyNativeAtomicsEndInDoubt() {
        checker.onFailed(0, 1, BondError.ATOMIC_IN_DOUBT.vendorErr());
        assertThat(violations.texts()).hasSize(1);
        checker(AtomicsMode.NATIVE).onFailed(3, 5, BondError.ATOMIC_IN_DOUBT.vendorErr());
        assertThat(violations.texts()).as("the atomic is behind the first one unfinished").hasSize(1);
        checker(AtomicsMode.NATIVE).onFailed(3, 4, BondError.ATOMIC_IN_DOUBT.vendorErr());
        assertThat(violations.texts()).as("none was posted").hasSize(2);
    }

    @Test
    void oneWhoseResultIsLostWasExecuted() {
        final AtomicsChecker lossy = checker(AtomicsMode.NATIVE);
        lossy.onFailed(0, 1, BondError.ATOMIC_RESULT_LOST.vendorErr());
        lossy.onQuiet(0, 1);
        assertThat(violations.texts()).hasSize(1);
        execute(0);
        lossy.onQuiet(0, 1);
        assertThat(violations.texts()).hasSize(1);
    }
}
