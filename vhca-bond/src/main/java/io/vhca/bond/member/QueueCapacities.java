package io.vhca.bond.member;

import io.vhca.api.QpCapabilities;
import io.vhca.bond.wire.LedgerWord;

/**
 * How much the physical queues of a vQP hold: what the application asked for, and the bond's own requests besides.
 *
 * @param asked  what the application asked for
 * @param marked whether a mark may follow each send
 */
public record QueueCapacities(QpCapabilities asked, boolean marked) {
    /** A mark may outlive its request by one. */
    private static final int LATE_MARKS = 1;

    /** Requests on the physical send queue, all of which may come back at once. */
    public int sends() {
        return BondLimits.OWN_SENDS + (marked ? 2 * asked.maxSendWr() + LATE_MARKS : asked.maxSendWr());
    }

    public int recvs() {
        return asked.maxRecvWr() + BondLimits.OWN_RECVS;
    }

    /** What a physical queue pair is created with. */
    public QpCapabilities physical() {
        return new QpCapabilities(
                sends(),
                recvs(),
                Math.max(1, asked.maxSendSge()),
                Math.max(1, asked.maxRecvSge()),
                marked ? Math.max(LedgerWord.SIZE, asked.maxInlineData()) : asked.maxInlineData());
    }

    /** How many sends an application may ask for where the hardware takes so many requests. */
    static int mostSends(final int hardwareSends, final boolean marked) {
        final int left = hardwareSends - BondLimits.OWN_SENDS;
        return marked ? (left - LATE_MARKS) / 2 : left;
    }
}
