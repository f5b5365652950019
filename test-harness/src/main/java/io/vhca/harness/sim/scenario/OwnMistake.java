package io.vhca.harness.sim.scenario;

import io.vhca.api.SendFlags;
import io.vhca.api.WcStatus;
import io.vhca.bond.config.AtomicsMode;
import io.vhca.harness.sim.core.Draws;
import io.vhca.harness.sim.core.Side;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The one operation of a scenario that its application gets wrong in the middle of everything else. It ends its
 * connection; the application does not look for a while. Drawn from a stream of its own.
 *
 * @param qp        which connection
 * @param side      who posts it
 * @param life      in which life of the connection, 0 for the first
 * @param key       the bad key, where it is one
 * @param silenceNs for how long its application polls nothing after it
 */
public record OwnMistake(int qp, Side side, int life, int op, Kind kind, int key, long silenceNs) {
    private static final int STREAM = 78;
    /** Of retries, that its application waits at most. */
    public static final int MOST_BUDGETS = 3;

    /** What is wrong with it. */
    public enum Kind {
        LOCAL_KEY,
        REMOTE_KEY,
        UNALIGNED;

        /** Where it is found out: the key of a data that is inline, or of no data, is looked at by nobody. */
        private boolean fits(final OpPlan plan, final int op) {
            return switch (this) {
                case LOCAL_KEY -> plan.lengthBytes(op) > 0 && (plan.flags(op) & SendFlags.INLINE) == 0;
                case REMOTE_KEY -> plan.lengthBytes(op) > 0 && OpMix.addressesRegion(plan.opcode(op))
                        || plan.atomics().isAtomic(op);
                case UNALIGNED -> plan.atomics().isAtomic(op);
            };
        }
    }

    /** That of a scenario; null where there is none, as where what an application that does not look posts is lost. */
    public static @Nullable OwnMistake of(final Scenario scenario) {
        if (!scenario.has(Trait.OWN_MISTAKE) || !scenario.isBond() && scenario.has(Trait.POSTS_IN_ERR_FORGOTTEN)) {
            return null;
        }
        final SplittableRandom random = Draws.stream(scenario.seed(), STREAM);
        final int qp = random.nextInt(scenario.qps().size());
        final Side side = Side.of(random.nextInt(2));
        final int life = random.nextInt(scenario.lives());
        final int key = random.nextInt();
        final long silenceNs = random.nextLong(MOST_BUDGETS * scenario.transport().retryBudgetNs());
        final OpPlan plan = scenario.qps().get(qp).plan(side);
        final int first = random.nextInt(Math.max(1, plan.count()));
        final int firstKind = random.nextInt(Kind.values().length);
        final boolean isOfAtomic = random.nextBoolean() && plan.atomics().isUsed();
        for (int i = 0; i < plan.count(); i++) {
            final int op = (first + i) % plan.count();
            for (int k = 0; k < Kind.values().length; k++) {
                final Kind kind = Kind.values()[(firstKind + k) % Kind.values().length];
                if (kind.fits(plan, op) && (plan.atomics().isAtomic(op) || !isOfAtomic)) {
                    return new OwnMistake(qp, side, life, op, kind, key, silenceNs);
                }
            }
        }
        return null;
    }

    /** How it ends. */
    public WcStatus status() {
        return switch (kind) {
            case LOCAL_KEY -> WcStatus.LOC_PROT_ERR;
            case REMOTE_KEY -> WcStatus.REM_ACCESS_ERR;
            case UNALIGNED -> WcStatus.REM_INV_REQ_ERR;
        };
    }

    /**
     * How many operations may be executed at most. An answer that has no place was asked for, and hardware does not
     * wait for it before it sends what is behind.
     */
    public int mostExecuted(final OpPlan plan, final AtomicsMode atomics) {
        if (kind != Kind.LOCAL_KEY) {
            return op;
        }
        final boolean isAtomic = plan.atomics().isAtomic(op);
        if (plan.isRead(op) || isAtomic && atomics == AtomicsMode.NATIVE) {
            return plan.count();
        }
        return isAtomic ? op + 1 : op;
    }

    /** Whether it is made by that end of that connection in that life. */
    public boolean isOf(final int ofQp, final Side ofSide, final int ofLife) {
        return qp == ofQp && side == ofSide && life == ofLife;
    }
}
