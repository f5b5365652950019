package io.vhca.harness.sim.app;

import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import io.vhca.bond.config.AtomicsMode;
import io.vhca.harness.sim.check.Direction;
import io.vhca.harness.sim.check.Directions;
import io.vhca.harness.sim.core.Draws;
import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.core.Violations;
import io.vhca.harness.sim.fault.Damage;
import io.vhca.harness.sim.scenario.Ending;
import io.vhca.harness.sim.scenario.Scenario;
import java.util.SplittableRandom;

/**
 * Ends a scenario in the way that was drawn for it. Every queue pair that still works posts one request more than was
 * planned. For most endings its path fails then, and an application does something in the middle of the recovery.
 */
public final class ScenarioEnd {
    private static final String NAME = "a key that is not valid is refused";
    private static final long BOUND_NS = 20_000_000_000L;
    private static final long STEP_NS = 5_000_000;
    private static final long LONGEST_CUT_NS = 300_000_000;
    private static final long LONGEST_LATE_NS = 100_000_000;
    private static final WrOpcode[] OPCODES = {
        WrOpcode.RDMA_WRITE, WrOpcode.RDMA_READ, WrOpcode.ATOMIC_FETCH_AND_ADD, WrOpcode.ATOMIC_CMP_AND_SWP
    };

    private final Scenario scenario;
    private final Stage stage;
    private final Directions directions;
    private final Violations violations;
    private final SplittableRandom random;
    private final Side actor;
    private boolean isDisturbed;

    /** What of the simulation an ending needs. */
    public interface Stage {
        SimApp app(Side side);

        /** True when the process is dead: a fault may have waited until now for its packet. */
        boolean isDead(Side side);

        long nowNs();

        void runFor(long durationNs);

        /** Loses all that a side sends, or no more. */
        void cut(Side side, boolean isCut);
    }

    public ScenarioEnd(
            final Scenario scenario, final Stage stage, final Directions directions, final Violations violations) {
        this.scenario = scenario;
        this.stage = stage;
        this.directions = directions;
        this.violations = violations;
        random = Draws.stream(scenario.seed(), 3);
        actor = Side.of(random.nextInt(2));
    }

    /** Does it; false where the applications are to be closed as they are. */
    public boolean bringAbout() {
        switch (scenario.ending()) {
            case QUIET -> {
                return true;
            }
            case STALE_KEY -> refuse(true);
            case DEREGISTERED -> refuse(false);
            default -> disturb();
        }
        return scenario.ending() != Ending.CLOSED;
    }

    /**
     * Nothing is under way any more: whatever was done in the middle of a recovery, memory is what the work of the
     * scenario left, and the last WRITEs.
     */
    public void checkMemory() {
        // Nobody can tell that a WRITE was acknowledged and never placed.
        if (!isDisturbed || scenario.has(Damage.ACKNOWLEDGED_DATA)) {
            return;
        }
        for (int qp = 0; qp < scenario.qps().size(); qp++) {
            for (final Side side : Side.BOTH) {
                final ExtraRequest extra = stage.app(side).connection(qp).extra();
                directions.of(qp, side).checkMemoryAfter(extra.lengthBytes(), SendSlots.POISON, extra.hasSucceeded());
            }
        }
    }

    private boolean works(final int qp) {
        return stage.app(Side.LEFT).connection(qp).works() && stage.app(Side.RIGHT).connection(qp).works();
    }

    private void refuse(final boolean isStale) {
        final boolean isCut = scenario.isBond() && (!isStale || random.nextBoolean());
        if (!isStale && !isCut) {
            return;
        }
        final SimApp sender = stage.app(actor);
        for (int qp = 0; qp < scenario.qps().size(); qp++) {
            if (works(qp)) {
                final TargetRegion target = stage.app(actor.other()).connection(qp).target();
                final int key = target.rkey();
                if (isStale) {
                    target.renew();
                }
                stage.cut(actor, isCut);
                final WrOpcode opcode = isStale ? OPCODES[random.nextInt(OPCODES.length)] : WrOpcode.RDMA_WRITE;
                sender.connection(qp).postExtra(stage.nowNs(), opcode, isStale && isForeign(qp) ? foreign(qp) : key);
            }
        }
        if (isCut) {
            stage.runFor(cutNs());
            for (int qp = 0; qp < scenario.qps().size() && !isStale; qp++) {
                if (sender.connection(qp).extra().wasPosted()) {
                    stage.app(actor.other()).connection(qp).target().deregister();
                }
            }
            stage.cut(actor, false);
        }
        judge(sender);
    }

    /** Sometimes the key is one of the sender's own, which its peer never gave out. */
    private boolean isForeign(final int qp) {
        final int own = foreign(qp);
        for (int i = 0; i < scenario.qps().size(); i++) {
            if (stage.app(actor.other()).connection(i).target().rkey() == own) {
                return false;
            }
        }
        return scenario.isBond() && own != stage.app(actor.other()).commonWord().rkey() && random.nextInt(3) == 0;
    }

    private int foreign(final int qp) {
        return stage.app(actor).connection(qp).target().rkey();
    }

    private void judge(final SimApp sender) {
        final long untilNs = stage.nowNs() + BOUND_NS;
        while (isAwaited(sender) && stage.nowNs() - untilNs < 0 && violations.isEmpty()) {
            stage.runFor(STEP_NS);
        }
        if (stage.isDead(Side.LEFT) || stage.isDead(Side.RIGHT)) {
            return;
        }
        for (int qp = 0; qp < scenario.qps().size() && violations.isEmpty(); qp++) {
            final AppConnection connection = sender.connection(qp);
            if (connection.extra().wasPosted()) {
                final WcStatus status = connection.extra().status();
                if (connection.extra().isAwaited() || !mayEndIn(status)) {
                    violations.report(
                            NAME, sender.side().label() + " qp " + qp,
                            connection.extra().isAwaited() ? "no completion" : "it ended in " + status);
                }
                final Direction out = directions.of(qp, actor);
                if (!scenario.has(Damage.ACKNOWLEDGED_DATA)) {
                    out.checkMemory();
                }
            }
        }
    }

    /**
     * What is in doubt when the path fails need not get as far as the key. A refusal that is lost is not sent again,
     * the peer's queue pair has failed: a bond says that, a device is silent.
     */
    private boolean mayEndIn(final WcStatus status) {
        return status == WcStatus.REM_ACCESS_ERR
                || scenario.isBond() && status == WcStatus.REM_ABORT_ERR
                || !scenario.isBond() && scenario.has(Damage.PACKETS) && status == WcStatus.RETRY_EXC_ERR
                || !scenario.mustSurvive() && status != WcStatus.SUCCESS
                || scenario.atomics() == AtomicsMode.NATIVE && status == WcStatus.RESP_TIMEOUT_ERR;
    }

    private boolean isAwaited(final SimApp sender) {
        for (int qp = 0; qp < scenario.qps().size(); qp++) {
            if (sender.connection(qp).extra().isAwaited()) {
                return true;
            }
        }
        return false;
    }

    private long cutNs() {
        return Draws.logUniform(random, 1_000, Math.min(LONGEST_CUT_NS, 3 * scenario.transport().retryBudgetNs()));
    }

    /** Both ends have something to send, a path that fails, and one of them does what it must not come to harm by. */
    private void disturb() {
        isDisturbed = true;
        final Side cut = Side.of(random.nextInt(2));
        for (int qp = 0; qp < scenario.qps().size(); qp++) {
            if (works(qp)) {
                stage.cut(cut, true);
                for (final Side side : Side.BOTH) {
                    final int key = stage.app(side.other()).connection(qp).target().rkey();
                    stage.app(side).connection(qp).postExtra(stage.nowNs(), WrOpcode.RDMA_WRITE, key);
                }
            }
        }
        stage.runFor(cutNs());
        if (random.nextBoolean()) {
            // The bonds find each other again, and are at whatever step they have come to by then.
            stage.cut(cut, false);
            stage.runFor(Draws.logUniform(random, 1_000, LONGEST_LATE_NS));
        }
        for (int qp = 0; qp < scenario.qps().size(); qp++) {
            if (stage.app(actor).connection(qp).extra().wasPosted()) {
                stage.app(actor).cm().end(stage.nowNs(), qp, scenario.ending());
            }
        }
        if (scenario.ending() != Ending.CLOSED) {
            stage.runFor(cutNs());
        }
        stage.cut(cut, false);
    }
}
