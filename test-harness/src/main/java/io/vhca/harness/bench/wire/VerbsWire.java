package io.vhca.harness.bench.wire;

import io.vhca.api.WrOpcode;
import io.vhca.harness.drill.child.DrillEnd;

/** SENDs over a queue pair of some device; a message counts as carried when its SEND completed. One thread. */
final class VerbsWire implements BenchWire {
    private final DrillEnd end;
    private final PolledEnd polled;
    private long posted;
    /** What the last WRITE of {@link #pingWrites} carried in its last byte; never 0, which is there at first. */
    private byte written;
    /** What {@link #serveWrites} answered last: not read anew, for the next one may have landed before it begins. */
    private byte answered;

    VerbsWire(final DrillEnd end) {
        this.end = end;
        polled = new PolledEnd(end);
    }

    @Override
    public long stream(final int sizeBytes, final int window, final long durationNs) {
        final long before = polled.completed();
        final long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < durationNs) {
            while (posted - polled.completed() < window) {
                end.postSend(posted++, sizeBytes);
            }
            polled.poll();
        }
        final long carried = polled.completed() - before;
        polled.await(posted);
        return carried * sizeBytes;
    }

    @Override
    public long pingPong(final int sizeBytes, final long durationNs) {
        final long before = polled.received();
        final long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < durationNs) {
            final long answer = polled.received() + 1;
            end.postSend(posted++, sizeBytes);
            while (polled.received() < answer) {
                polled.poll();
            }
        }
        final long trips = polled.received() - before;
        polled.await(posted);
        return trips;
    }

    @Override
    public long oneSided(
            final WrOpcode opcode, final int sizeBytes, final int window, final Target target, final long durationNs) {
        final long before = polled.completed();
        final long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < durationNs) {
            while (posted - polled.completed() < window) {
                // All from one slot, as all sends over a socket are from one buffer: the caches hold as much of either.
                end.postOneSided(opcode, 0, sizeBytes, target.address(), target.rkey());
                posted++;
            }
            polled.poll();
        }
        // As over a socket, what is on its way counts, and the time that it takes.
        polled.await(posted);
        return Math.round((double) (polled.completed() - before) * durationNs / (System.nanoTime() - startNs));
    }

    @Override
    public long pingWrites(final int sizeBytes, final Target target, final long durationNs) {
        long trips = 0;
        final long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < durationNs) {
            written = (byte) (written == Byte.MAX_VALUE ? 1 : written + 1);
            end.postWrite(posted++, sizeBytes, written, target.address(), target.rkey());
            while (end.landed(sizeBytes) != written) {
                polled.poll();
            }
            trips++;
        }
        polled.await(posted);
        return trips;
    }

    @Override
    public void serveWrites(final int sizeBytes, final Target target, final Stop until) {
        while (!until.now()) {
            final byte landed = end.landed(sizeBytes);
            if (landed != answered && posted - polled.completed() < end.sendSlots()) {
                answered = landed;
                end.postWrite(posted++, sizeBytes, landed, target.address(), target.rkey());
            } else {
                polled.poll();
            }
        }
    }

    @Override
    public void drain() {
        while (polled.poll()) {
            // What a stream left in the queue is no ping: it was acknowledged, so it is here.
        }
    }

    @Override
    public void serve(final int sizeBytes, final boolean echo, final Stop until) {
        long answered = polled.received();
        while (!until.now()) {
            polled.poll();
            for (; echo && answered < polled.received(); answered++) {
                end.postSend(posted++, sizeBytes);
            }
        }
    }
}
