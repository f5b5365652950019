package io.vhca.tool.rdp;

/**
 * What tasks have done.
 *
 * @param sendNs      time spent in sends
 * @param roundTripNs of all that came back, together
 */
record StressCount(long sent, long received, long sendNs, long roundTripNs) {
    static final StressCount NONE = new StressCount(0, 0, 0, 0);

    StressCount plus(final StressCount other) {
        return new StressCount(
                sent + other.sent, received + other.received, sendNs + other.sendNs, roundTripNs + other.roundTripNs);
    }

    StressCount less(final StressCount before) {
        return new StressCount(
                sent - before.sent, received - before.received, sendNs - before.sendNs,
                roundTripNs - before.roundTripNs);
    }
}
