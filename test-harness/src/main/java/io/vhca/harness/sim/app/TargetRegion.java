package io.vhca.harness.sim.app;

import io.vhca.api.AccessFlags;
import io.vhca.api.MemoryRegion;
import io.vhca.api.ProtectionDomain;
import io.vhca.harness.sim.check.Direction;
import io.vhca.harness.sim.check.LeakChecker;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The memory that the peer of one connection addresses. Where the scenario says so it is registered anew under traffic
 * and failovers. The peer is told the new key; the old region is deregistered once all that was posted with its key is
 * complete.
 */
final class TargetRegion {
    private static final int ACCESS = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ
            | AccessFlags.REMOTE_ATOMIC;
    private static final int ONE_IN = 6;

    private final ProtectionDomain pd;
    private final MemorySegment memory;
    private final LeakChecker resources;
    private final SplittableRandom random;
    private MemoryRegion region;
    private @Nullable MemoryRegion old;
    private int oldUntil;

    TargetRegion(
            final ProtectionDomain pd, final MemorySegment memory, final LeakChecker resources,
            final SplittableRandom random) {
        this.pd = pd;
        this.memory = memory;
        this.resources = resources;
        this.random = random;
        region = resources.opened(pd.regMr(memory, ACCESS));
    }

    int rkey() {
        return region.rkey();
    }

    /** Registers anew at times; returns true when it did. {@code in} is how the peer addresses it. */
    boolean registerAnew(final Direction in) {
        final MemoryRegion last = old;
        if (last != null) {
            // What was flushed may still be on its way.
            if (in.sends().succeeded() >= oldUntil) {
                forget(last);
            }
            return false;
        }
        if (in.sends().posted() == in.plan().count() || random.nextInt(ONE_IN) != 0) {
            return false;
        }
        old = region;
        region = resources.opened(pd.regMr(memory, ACCESS));
        oldUntil = in.sends().posted();
        in.rkey(region.rkey());
        return true;
    }

    /** Deregisters what the peer addresses; nothing can be reached any more. */
    void deregister() {
        final MemoryRegion last = old;
        if (last != null) {
            forget(last);
        }
        resources.closeNow(region);
    }

    /** Registers anew, so that the key of before is stale. */
    void renew() {
        deregister();
        region = resources.opened(pd.regMr(memory, ACCESS));
    }

    private void forget(final MemoryRegion last) {
        resources.closeNow(last);
        old = null;
    }
}
