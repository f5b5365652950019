package io.vhca.harness.bench.wire;

import io.vhca.api.WcOpcode;
import io.vhca.api.WorkCompletion;
import io.vhca.api.WrOpcode;
import io.vhca.harness.drill.child.DrillEnd;

/** SENDs over a queue pair of some device; a message counts as carried when its SEND completed. One thread. */
final class VerbsWire implements BenchWire {
    private final DrillEnd end;
    private long posted;
    private long completed;
    private long received;
    /** What the last WRITE of {@link #pingWrites} carried in its last byte; never 0, which is there at first. */
    private byte written;
    /** What {@link #serveWrites} answered last: not read anew, for the next one may have landed before it begins. */
    private byte answered;

    VerbsWire(final DrillEnd end) {
        this.end = end;
    }

    @Override
    public long stream(final int sizeBytes, final int window, final long durationNs) {
        final long before = completed;
        final long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < durationNs) {
            while (posted - completed < window) {
                end.postSend(posted++, sizeBytes);
            }
            if (!poll()) {
                Thread.yield();
            }
        }
        final long carried = completed - before;
        settle();
        return carried * sizeBytes;
    }

    @Override
    public long pingPong(final int sizeBytes, final long durationNs) {
        final long before = received;
        final long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < durationNs) {
            final long answer = received + 1;
            end.postSend(posted++, sizeBytes);
            while (received < answer) {
                if (!poll()) {
                    Thread.yield();
                }
            }
        }
        final long trips = received - before;
        settle();
        return trips;
    }

    @Override
    public long oneSided(
            final WrOpcode opcode, final int sizeBytes, final int window, final Target target, final long durationNs) {
        final long before = completed;
        final long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < durationNs) {
            while (posted - completed < window) {
                // All from one slot, as all sends over a socket are from one buffer: the caches hold as much of either.
                end.postOneSided(opcode, 0, sizeBytes, target.address(), target.rkey());
                posted++;
            }
            if (!poll()) {
                Thread.yield();
            }
        }
        // As over a socket, what is on its way counts, and the time that it takes.
        settle();
        return Math.round((double) (completed - before) * durationNs / (System.nanoTime() - startNs));
    }

    @Override
    public long pingWrites(final int sizeBytes, final Target target, final long durationNs) {
        long trips = 0;
        final long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < durationNs) {
            written = (byte) (written == Byte.MAX_VALUE ? 1 : written + 1);
            end.postWrite(posted++, sizeBytes, written, target.address(), target.rkey());
            while (end.landed(sizeBytes) != written) {
                if (!poll()) {
                    Thread.yield();
                }
            }
            trips++;
        }
        settle();
        return trips;
    }

    @Override
    public void serveWrites(final int sizeBytes, final Target target, final Stop until) {
        while (!until.now()) {
            final byte landed = end.landed(sizeBytes);
            if (landed != answered && posted - completed < end.sendSlots()) {
                answered = landed;
                end.postWrite(posted++, sizeBytes, landed, target.address(), target.rkey());
            } else if (!poll()) {
                Thread.yield();
            }
        }
    }

    private void settle() {
        while (completed < posted) {
            if (!poll()) {
                Thread.yield();
            }
        }
    }

    @Override
    public void drain() {
        while (poll()) {
            // What a stream left in the queue is no ping: it was acknowledged, so it is here.
        }
    }

    @Override
    public void serve(final int sizeBytes, final boolean echo, final Stop until) {
        long answered = received;
        while (!until.now()) {
            if (!poll()) {
                Thread.yield();
            }
            for (; echo && answered < received; answered++) {
                end.postSend(posted++, sizeBytes);
            }
        }
    }

    private boolean poll() {
        final int count = end.poll();
        for (int i = 0; i < count; i++) {
            final WorkCompletion wc = end.wc().at(i);
            if (wc.status() != 0) {
                throw new IllegalStateException("completed with " + wc.statusName());
            }
            if (wc.opcode() == WcOpcode.RECV.code()) {
                received++;
                end.postReceive(wc.wrId());
            } else {
                completed++;
            }
        }
        return count > 0;
    }
}
