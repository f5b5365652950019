package io.vhca.rdp.engine;

import java.util.Arrays;

/**
 * The flows that were refused for want of credits, in the order they asked. Each has a place for as many credits as it
 * wanted: who comes later is taken only where credits are left for all before him. Who may go on and does not for a
 * while loses his place.
 */
final class TurnQueue {
    /** How long credits are kept for one who may go on. */
    static final long KEPT_NS = 10_000_000;

    private static final int FIRST_SIZE = 16;

    /** The place of one flow. */
    static final class Turn {
        private final OutFlow flow;
        private long place;
        private int wanted;
        private boolean isAsking;
        private boolean isEligible;
        private long eligibleNs;

        Turn(final OutFlow flow) {
            this.flow = flow;
        }
    }

    private Turn[] turns = new Turn[FIRST_SIZE];
    /** The place that each entry was made for: one whose turn has another now is void. */
    private long[] places = new long[FIRST_SIZE];
    private long head;
    private long tail;
    private long nextPlace;

    private int at(final long entry) {
        return (int) entry & turns.length - 1;
    }

    private boolean isVoid(final long entry) {
        final Turn turn = turns[at(entry)];
        return !turn.isAsking || turn.place != places[at(entry)];
    }

    private long firstPlace() {
        while (head != tail && isVoid(head)) {
            head++;
        }
        return head == tail ? nextPlace : places[at(head)];
    }

    /** Whether so many credits are enough for this one to take what he wants, and for all before him. */
    boolean mayGo(final Turn turn, final int wanted, final int credits) {
        if (head == tail) {
            return credits >= wanted;
        }
        final long ahead = (turn.isAsking ? turn.place : nextPlace) - firstPlace();
        return credits >= wanted + ahead;
    }

    /** He has what he wanted. */
    void done(final Turn turn) {
        turn.isAsking = false;
    }

    /** He was refused; where he has a place, he keeps it. */
    void ask(final Turn turn, final int wanted) {
        if (turn.isAsking) {
            return;
        }
        if (tail - head == turns.length) {
            grow();
        }
        turn.isAsking = true;
        turn.isEligible = false;
        turn.wanted = wanted;
        turn.place = nextPlace;
        turns[at(tail)] = turn;
        places[at(tail)] = nextPlace;
        tail++;
        nextPlace += wanted;
    }

    private void grow() {
        final Turn[] oldTurns = turns;
        final long[] oldPlaces = places;
        turns = Arrays.copyOf(oldTurns, 2 * oldTurns.length);
        places = new long[turns.length];
        for (long entry = head; entry != tail; entry++) {
            final int old = (int) entry & oldTurns.length - 1;
            turns[at(entry)] = oldTurns[old];
            places[at(entry)] = oldPlaces[old];
        }
    }

    /** Wakes those whom so many credits are enough for. */
    void wake(final int credits, final long nowNs) {
        final long first = firstPlace();
        for (long entry = head; entry != tail && places[at(entry)] - first < credits; entry++) {
            final Turn turn = turns[at(entry)];
            if (!isVoid(entry) && places[at(entry)] - first + turn.wanted <= credits) {
                if (!turn.isEligible) {
                    turn.isEligible = true;
                    turn.eligibleNs = nowNs;
                }
                turn.flow.port().listener().onWritable();
            }
        }
    }

    /** Takes the place of those away who could have gone on and did not; true when that was somebody. */
    boolean age(final long nowNs) {
        boolean isChanged = false;
        for (long entry = head; entry != tail; entry++) {
            final Turn turn = turns[at(entry)];
            if (!isVoid(entry) && turn.isEligible && nowNs - turn.eligibleNs > KEPT_NS) {
                turn.isAsking = false;
                isChanged = true;
            }
        }
        return isChanged;
    }

    boolean isEmpty() {
        return firstPlace() == nextPlace;
    }

    void clear() {
        for (; head != tail; head++) {
            turns[at(head)].isAsking = false;
        }
    }
}
