package io.vhca.harness.sim.app;

import io.vhca.api.AccessFlags;
import io.vhca.api.MemoryRegion;
import io.vhca.harness.sim.scenario.OpPlan;
import io.vhca.harness.sim.scenario.OwnMistake;
import java.lang.foreign.MemorySegment;

/**
 * Keys that cover an end's send memory and are wrong all the same: of another protection domain, and without the right
 * to write there. An operation that was served by one looks like any other.
 */
final class WrongKeys {
    private final MemoryRegion ofAnotherDomain;
    private final MemoryRegion readOnly;

    WrongKeys(final AppObjects objects, final MemorySegment memory) {
        ofAnotherDomain = objects.resources()
                .opened(objects.resources().opened(objects.context().allocPd()).regMr(memory, AccessFlags.LOCAL_WRITE));
        readOnly = objects.resources().opened(objects.pd().regMr(memory, 0));
    }

    /** That of an operation with the wrong local key; in half of all cases one that nobody has. */
    int of(final OwnMistake mistake, final OpPlan plan) {
        final boolean isPlaced = plan.isRead(mistake.op()) || plan.atomics().isAtomic(mistake.op());
        return switch (mistake.key() & 3) {
            case 0 -> ofAnotherDomain.lkey();
            case 1 -> isPlaced ? readOnly.lkey() : ofAnotherDomain.lkey();
            default -> mistake.key();
        };
    }
}
