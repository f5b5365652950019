package io.vhca.harness.sim.fault;

/** When a fault begins, and how long it lasts. */
public sealed interface Timing {
    /** The same from the first packet on. */
    Timing atOnce();

    /** The same, once and not several times. */
    Timing once();

    /**
     * It strikes single packets.
     *
     * @param first how many packets that concern it pass before
     * @param count how many in a row it strikes
     */
    record Packets(int first, int count) implements Timing {
        @Override
        public Timing atOnce() {
            return new Packets(0, count);
        }

        @Override
        public Timing once() {
            return new Packets(first, 1);
        }

        @Override
        public String toString() {
            return count + " packets after " + first;
        }
    }

    /**
     * It begins with a packet, and ends after a time.
     *
     * @param atPacket how many packets of any kind pass before
     * @param lastsNs  how long it lasts, and how long it is away before it begins once more
     * @param times    how often it begins
     */
    record Period(int atPacket, long lastsNs, int times) implements Timing {
        @Override
        public Timing atOnce() {
            return new Period(0, lastsNs, times);
        }

        @Override
        public Timing once() {
            return new Period(atPacket, lastsNs, 1);
        }

        @Override
        public String toString() {
            return "from packet " + atPacket + " for " + lastsNs / 1_000 + " us" + (times == 1 ? "" : ", x" + times);
        }
    }

    /**
     * It begins with a packet and does not end: it is over as soon as it has begun.
     *
     * @param atPacket how many packets of any kind pass before
     */
    record ForGood(int atPacket) implements Timing {
        @Override
        public Timing atOnce() {
            return new ForGood(0);
        }

        @Override
        public Timing once() {
            return this;
        }

        @Override
        public String toString() {
            return "from packet " + atPacket + " for good";
        }
    }
}
