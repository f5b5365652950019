package io.vhca.harness.bench.wire;

import io.vhca.api.WcOpcode;
import io.vhca.api.WorkCompletion;
import io.vhca.harness.drill.child.DrillEnd;

/**
 * One end of a connection over a queue pair, which counts what completes there and posts receives again. One thread.
 */
final class PolledEnd {
    private final DrillEnd end;
    private long completed;
    private long received;
    private long written;

    PolledEnd(final DrillEnd end) {
        this.end = end;
    }

    /** Requests that this end posted and that are done. */
    long completed() {
        return completed;
    }

    /** SENDs that came. */
    long received() {
        return received;
    }

    /** WRITEs with immediate data that came. */
    long written() {
        return written;
    }

    /** Takes what is there; false where nothing is, and the processor is somebody else's for a moment. */
    boolean poll() {
        final int count = end.poll();
        for (int i = 0; i < count; i++) {
            final WorkCompletion wc = end.wc().at(i);
            if (wc.status() != 0) {
                throw new IllegalStateException("completed with " + wc.statusName());
            }
            if (wc.opcode() == WcOpcode.RECV.code()) {
                received++;
                end.postReceive(wc.wrId());
            } else if (wc.opcode() == WcOpcode.RECV_RDMA_WITH_IMM.code()) {
                written++;
                end.postReceive(wc.wrId());
            } else {
                completed++;
            }
        }
        if (count == 0) {
            Thread.yield();
        }
        return count > 0;
    }

    /** Polls until so many requests are done. */
    void await(final long posted) {
        while (completed < posted) {
            poll();
        }
    }
}
