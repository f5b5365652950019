package io.vhca.harness.bench.wire;

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
    private final PolledEnd polled;
    private long posted;
    private long told;

    ToldWire(final DrillEnd end) {
        this.end = end;
        polled = new PolledEnd(end);
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
        final long before = polled.completed();
        final long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < durationNs) {
            while (posted - polled.completed() < window && posted < mayWrite()) {
                end.postOneSided(opcode, 0, sizeBytes, target.address(), target.rkey());
                posted++;
            }
            polled.poll();
        }
        polled.await(posted);
        return Math.round((double) (polled.completed() - before) * durationNs / (System.nanoTime() - startNs));
    }

    /** WRITEs that the peer has had receives for, ever. */
    private long mayWrite() {
        return DEPTH + TOLD_OF * polled.received();
    }

    @Override
    public void drain() {
        // The peer's WRITEs are all acknowledged, and what was said of them is taken with the next ones.
    }

    @Override
    public void serve(final int sizeBytes, final boolean echo, final Stop until) {
        while (!until.now()) {
            polled.poll();
            while (polled.written() - told >= TOLD_OF && posted - polled.completed() < end.sendSlots()) {
                end.postSend(posted++, 1);
                told += TOLD_OF;
            }
        }
    }
}
