package io.vhca.harness.bench.wire;

/**
 * Plain datagrams, without a device.
 *
 * <p>The receiver confirms every 8th datagram by a small one that carries its count; the sender keeps the window that
 * this leaves. What is lost is not sent again: after a pause without confirmation the sender takes what is missing for
 * lost, and only what the receiver counted is counted.
 */
final class DatagramWire implements BenchWire {
    private static final int CONFIRM_EVERY = 8;
    private static final long LOST_NS = 2_000_000;

    private final Datagrams datagrams;
    /** The most that the receiver said to have got. */
    private long counted;
    /** Of the ping that was sent last, in all rounds. */
    private long pinged;
    /** Of the answer that came last. */
    private long answered;

    DatagramWire(final Datagrams datagrams) {
        this.datagrams = datagrams;
    }

    @Override
    public long stream(final int sizeBytes, final int window, final long durationNs) {
        drain();
        long sent = 0;
        long confirmed = 0;
        counted = 0;
        final Datagrams.Taker confirmations = (number, bytes) -> counted = Math.max(counted, number);
        final long startNs = System.nanoTime();
        long movedNs = startNs;
        for (long nowNs = startNs; nowNs - startNs < durationNs; nowNs = System.nanoTime()) {
            boolean isIdle = true;
            while (sent - confirmed < window && datagrams.send(0, sizeBytes)) {
                sent++;
                isIdle = false;
            }
            datagrams.flush();
            if (datagrams.receive(confirmations) > 0) {
                confirmed = Math.max(confirmed, counted);
                movedNs = nowNs;
                isIdle = false;
            }
            if (isIdle) {
                if (nowNs - movedNs > LOST_NS) {
                    confirmed = sent;
                    movedNs = nowNs;
                }
                Thread.yield();
            }
        }
        return counted * sizeBytes;
    }

    @Override
    public long pingPong(final int sizeBytes, final long durationNs) {
        drain();
        final Datagrams.Taker answers = (number, bytes) -> answered = number;
        long trips = 0;
        final long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < durationNs) {
            pinged++;
            while (!datagrams.send(pinged, sizeBytes)) {
                Thread.yield();
            }
            datagrams.flush();
            final long sentNs = System.nanoTime();
            // The answer to one before it may come late, and is not its own. One that is there counts, however late
            // this looks.
            boolean isLost = false;
            while (answered != pinged && !isLost) {
                if (datagrams.receive(answers) == 0) {
                    isLost = System.nanoTime() - sentNs >= LOST_NS * 10;
                    Thread.yield();
                }
            }
            // One that was lost is no round trip.
            trips += answered == pinged ? 1 : 0;
        }
        return trips;
    }

    @Override
    public void serve(final int sizeBytes, final boolean echo, final Stop until) {
        counted = 0;
        final Datagrams.Taker taker = (number, bytes) -> {
            if (echo) {
                datagrams.send(number, sizeBytes);
            } else if (++counted % CONFIRM_EVERY == 0) {
                datagrams.send(counted, Long.BYTES);
            }
        };
        while (!until.now()) {
            if (datagrams.receive(taker) == 0) {
                Thread.yield();
            } else {
                datagrams.flush();
            }
        }
    }

    @Override
    public void drain() {
        final Datagrams.Taker nobody = (number, bytes) -> {};
        while (datagrams.receive(nobody) > 0) {
            // Left over from the round before.
        }
    }
}
