package io.vhca.harness.sim.check;

import io.vhca.api.WcOpcode;
import io.vhca.api.WrOpcode;
import io.vhca.harness.sim.core.Content;
import io.vhca.harness.sim.core.Violations;
import io.vhca.harness.sim.scenario.OpPlan;

/**
 * Messages of one direction arrive exactly once, in order, whole: the n-th receive completion is the n-th message of
 * the plan, with its bytes, length and immediate data.
 */
public final class DeliveryChecker {
    private static final String NAME = "exactly once and in order";

    private final OpPlan plan;
    private final String where;
    private final Violations violations;
    private int nextOp;
    private int received;

    DeliveryChecker(final OpPlan plan, final String where, final Violations violations) {
        this.plan = plan;
        this.where = where;
        this.violations = violations;
        nextOp = plan.nextMessage(0);
    }

    /** Messages received so far. */
    int received() {
        return received;
    }

    /** The operation that the next message must be; the plan's count when no more is expected. */
    public int nextOp() {
        return nextOp;
    }

    /**
     * A receive completed with success.
     *
     * @param dataAddress the receive buffer; not read for a WRITE_WITH_IMM, whose bytes the region has
     * @return the operation it was taken for, -1 when it was none that could be expected
     */
    public int onReceived(
            final int wcOpcode, final int byteLen, final boolean hasImm, final int imm, final long dataAddress) {
        received++;
        final int op = nextOp;
        if (op == plan.count()) {
            violations.report(NAME, where, "a message too many arrived: " + identify(byteLen, dataAddress));
            return -1;
        }
        final boolean isWrite = plan.opcode(op) == WrOpcode.RDMA_WRITE_WITH_IMM;
        final int expectedOpcode = (isWrite ? WcOpcode.RECV_RDMA_WITH_IMM : WcOpcode.RECV).code();
        final boolean isBytesEqual = isWrite || Content.mismatch(dataAddress, 0, byteLen, plan.contentKey(op)) < 0;
        if (wcOpcode != expectedOpcode || byteLen != plan.lengthBytes(op) || !isBytesEqual) {
            violations.report(
                    NAME,
                    where,
                    "expected " + plan.describe(op) + ", but a " + WcOpcode.fromCode(wcOpcode) + " of " + byteLen
                            + " bytes arrived: " + identify(byteLen, dataAddress));
        }
        if (hasImm != plan.hasImm(op) || hasImm && imm != plan.imm(op)) {
            violations.report(
                    "immediate data",
                    where,
                    plan.describe(op) + " should carry "
                            + (plan.hasImm(op) ? "0x" + Integer.toHexString(plan.imm(op)) : "none")
                            + ", it carried " + (hasImm ? "0x" + Integer.toHexString(imm) : "none"));
        }
        nextOp = plan.nextMessage(op + 1);
        return op;
    }

    /** Names the operation whose bytes these are, to tell a lost message from one that came twice. */
    private String identify(final int byteLen, final long dataAddress) {
        for (int op = 0; op < plan.count(); op++) {
            if (plan.isMessage(op)
                    && byteLen > 0
                    && plan.lengthBytes(op) == byteLen
                    && Content.mismatch(dataAddress, 0, byteLen, plan.contentKey(op)) < 0) {
                return op < nextOp ? plan.describe(op) + " once more" : plan.describe(op) + " too early";
            }
        }
        return byteLen + " bytes that belong to no message";
    }
}
