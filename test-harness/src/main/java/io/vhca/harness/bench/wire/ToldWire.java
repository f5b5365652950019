package io.vhca.harness.bench.wire;

import io.vhca.api.WcOpcode;
import io.vhca.api.WorkCompletion;
import io.vhca.api.WrOpcode;
import io.vhca.harness.drill.child.DrillEnd;

/**
 * WRITEs with immediate data over a queue pair, whose receiver hears of each, posts its receive again and says so of
 * several in one short SEND: the least that a socket can do whose peer is to learn what arrived. One thread.
 */
final class ToldWire implements BenchWire {
    /** Receives outstanding at each end, as many as a socket of {@link ExsWire} has. */
    static final int DEPTH = 24;

    /** Receives that one SEND says of that they are there again. */
    private static final int TOLD_OF = 8;

    private final DrillEnd end;
    private long posted;
    private long completed;
    /** WRITEs that the peer has receives for, ever; and that it had as the connection came. */
    private long mayWrite = DEPTH;

    private long taken;
    private long told;

    ToldWire(final DrillEnd end) {
        this.end = end;
    }

    @Override
    public long stream(final int sizeBytes, final int window, final long durationNs) {
        throw new UnsupportedOperationException("this wire only writes");
    }

    @Override
    public long pingPong(final int sizeBytes, final long durationNs) {
        throw new UnsupportedOperationException("this wire only writes");
    }

    @Override
    public long oneSided(
            final WrOpcode opcode, final int sizeBytes, final int window, final Target target, final long durationNs) {
        final long before = completed;
        final long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < durationNs) {
            while (posted - completed < window && posted < mayWrite) {
                end.postOneSided(opcode, 0, sizeBytes, target.address(), target.rkey());
                posted++;
            }
            poll();
        }
        while (completed < posted) {
            poll();
        }
        return Math.round((double) (completed - before) * durationNs / (System.nanoTime() - startNs));
    }

    @Override
    public void drain() {
        // The peer's WRITEs are all acknowledged, and what was said of them is taken with the next ones.
    }

    @Override
    public void serve(final int sizeBytes, final boolean echo, final Stop until) {
        while (!until.now()) {
            poll();
            while (taken - told >= TOLD_OF && posted - completed < end.sendSlots()) {
                end.postSend(posted++, 1);
                told += TOLD_OF;
            }
        }
    }

    private void poll() {
        final int count = end.poll();
        for (int i = 0; i < count; i++) {
            final WorkCompletion wc = end.wc().at(i);
            if (wc.status() != 0) {
                throw new IllegalStateException("completed with " + wc.statusName());
            }
            if (wc.opcode() == WcOpcode.RECV_RDMA_WITH_IMM.code()) {
                taken++;
                end.postReceive(wc.wrId());
            } else if (wc.opcode() == WcOpcode.RECV.code()) {
                mayWrite += TOLD_OF;
                end.postReceive(wc.wrId());
            } else {
                completed++;
            }
        }
        if (count == 0) {
            Thread.yield();
        }
    }
}
