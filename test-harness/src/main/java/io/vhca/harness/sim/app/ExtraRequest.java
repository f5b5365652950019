package io.vhca.harness.sim.app;

import io.vhca.api.QueuePair;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import io.vhca.harness.sim.scenario.OpMix;

/** One request more than one end of a connection had planned, at the end of a scenario; see {@link ScenarioEnd}. */
final class ExtraRequest {
    private static final int NONE = -1;
    private static final int AWAITED = -2;

    private int status = NONE;
    private int lengthBytes;

    /**
     * Posts it.
     *
     * @param wr          a request of the caller's, with its data in place
     * @param lengthBytes of its data
     * @param target      what it addresses
     */
    boolean post(
            final QueuePair qp, final SendWorkRequest wr, final int lengthBytes, final WrOpcode opcode,
            final long target, final int rkey) {
        wr.wrId(WrIds.EXTRA).opcode(opcode).sendFlags(SendFlags.SIGNALED).next(0);
        if (OpMix.isAtomic(opcode)) {
            wr.atomic(target + Long.BYTES - 1 & -Long.BYTES, rkey, 1, 1);
        } else {
            wr.rdma(target, rkey);
        }
        if (qp.postSend(wr) != 1) {
            return false;
        }
        status = AWAITED;
        this.lengthBytes = lengthBytes;
        return true;
    }

    /** How long its data is; 0 where it was not posted. */
    int lengthBytes() {
        return lengthBytes;
    }

    boolean hasSucceeded() {
        return status == WcStatus.SUCCESS.code();
    }

    void onCompletion(final int statusCode) {
        status = statusCode;
    }

    boolean wasPosted() {
        return status != NONE;
    }

    boolean isAwaited() {
        return status == AWAITED;
    }

    /** How it ended. */
    WcStatus status() {
        return WcStatus.fromCode(status);
    }
}
