package io.vhca.harness.sim.app;

import io.vhca.harness.sim.core.Side;
import org.jspecify.annotations.Nullable;

/** Where both applications write down what their queue pairs are, for who is connected out of band. */
final class Rendezvous {
    private final @Nullable Offer[][] offers;

    /**
     * One end of a connection, ready to be connected.
     *
     * @param life  which of its lives this is, from 0 on
     * @param sqPsn what it begins to send with
     */
    record Offer(int life, int qpNum, int sqPsn, ConnectionInfo info) {}

    Rendezvous(final int connections) {
        offers = new Offer[2][connections];
    }

    void put(final Side side, final int index, final Offer offer) {
        offers[side.ordinal()][index] = offer;
    }

    /** What a side offers for that life; null while there is nothing. */
    @Nullable Offer get(final Side side, final int index, final int life) {
        final Offer offer = offers[side.ordinal()][index];
        return offer == null || offer.life() != life ? null : offer;
    }
}
