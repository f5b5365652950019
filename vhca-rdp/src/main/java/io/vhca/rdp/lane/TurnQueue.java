package io.vhca.rdp.lane;

import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * The flows that were refused for want of credits, in rounds. In a round each sends once; who did and comes again waits
 * for the next round, which begins when nobody of this one waits any more. So who comes more often, since more of his
 * is on its way, or who comes first each time, gets no more than who waits. Where most credits are unused, and the
 * first who may go on has not come for a moment, they are anybody's.
 *
 * <p>Within a round they go in the order they asked. Each has a place for as many credits as it wanted: who comes later
 * is taken only where credits are left for all before him. Who may go on and does not holds the next round up for a
 * little while, and loses his place after a longer one. One thread at a time.
 */
public final class TurnQueue {
    /** After that who may go on and has not come does not keep others from credits that are plenty. */
    static final long AWAY_NS = 50_000;

    /** How long the next round waits at least for one who may go on. */
    static final long HELD_NS = 500_000;

    /** A long round is of many, who have to come by turns to a processor: it waits for this part of what it took. */
    static final int HELD_PART = 16;

    /** How long credits are kept for one who may go on, since anybody tried. */
    static final long KEPT_NS = 10_000_000;

    /** How long they are kept for him in all: where others try, all may be late, and he is one of the last. */
    static final long LONGEST_KEPT_NS = 100_000_000;

    private static final int FIRST_SIZE = 16;

    /** Who waits for credits. */
    @FunctionalInterface
    public interface Waiter {
        /** It is worth to try again; false where it wants none now, and gives its place up. */
        boolean tryAgain();
    }

    /** The place of one flow. */
    public static final class Turn {
        private final Waiter waiter;
        private long place;
        private int wanted;
        private boolean isAsking;
        /** It waits for the next round to have a place. */
        private boolean isLater;
        private boolean isEligible;
        private long eligibleNs;
        /** The last round it sent in. */
        private long round;

        public Turn(final Waiter waiter) {
            this.waiter = waiter;
        }
    }

    private Turn[] turns = new Turn[FIRST_SIZE];
    /** The place that each entry was made for: one whose turn has another now is void. */
    private long[] places = new long[FIRST_SIZE];
    private long head;
    private long tail;
    private long nextPlace;
    /** What all want that have a place now. */
    private long waiting;
    /** Who waits for the next round. */
    private final ArrayDeque<Turn> later = new ArrayDeque<>();
    private long round = 1;
    /** When it began, or the first came to wait. */
    private long roundNs;
    /** How long the next round waits for one who may go on. */
    private long heldNs = HELD_NS;
    /** When somebody tried last. */
    private long triedNs;

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

    /**
     * Whether so many credits are enough for this one to take what he wants, and for all before him.
     *
     * @param plenty with so many left beside, hardly any is on its way, and nobody waits long for another
     */
    public boolean mayGo(final Turn turn, final int wanted, final int credits, final int plenty, final long nowNs) {
        triedNs = nowNs;
        if (isEmpty()) {
            return credits >= wanted;
        }
        if (!turn.isAsking && (turn.isLater || turn.round == round)) {
            return credits >= wanted + waiting + plenty && isAway(nowNs);
        }
        final long ahead = turn.isAsking ? Math.min(turn.place - firstPlace(), waiting - turn.wanted) : waiting;
        return credits >= wanted + ahead;
    }

    /** The first who may go on does not come. */
    private boolean isAway(final long nowNs) {
        if (firstPlace() == nextPlace) {
            return false;
        }
        final Turn first = turns[at(head)];
        return first.isEligible && nowNs - first.eligibleNs >= AWAY_NS;
    }

    /** He has what he wanted. */
    public void done(final Turn turn) {
        leave(turn);
        turn.round = round;
    }

    /** He wants nothing any more, or has it: his place is free. */
    public void leave(final Turn turn) {
        if (turn.isAsking) {
            turn.isAsking = false;
            waiting -= turn.wanted;
            assert waiting >= 0 : "more left than waited";
        } else if (turn.isLater) {
            turn.isLater = false;
            later.remove(turn);
        }
    }

    /** He was refused; where he has a place, he keeps it. */
    public void ask(final Turn turn, final int wanted) {
        // He came: what he waits for next is to be told again.
        turn.isEligible = false;
        if (turn.isAsking || turn.isLater) {
            return;
        }
        turn.wanted = wanted;
        if (isEmpty()) {
            roundNs = triedNs;
        }
        // Where nobody waits he is the first that lacks credits: it is those who had them that wait for him.
        if (turn.round == round && !isEmpty()) {
            turn.isLater = true;
            later.add(turn);
        } else {
            append(turn);
        }
    }

    private void append(final Turn turn) {
        if (tail - head == turns.length) {
            grow();
        }
        turn.isAsking = true;
        turn.isEligible = false;
        turn.place = nextPlace;
        turns[at(tail)] = turn;
        places[at(tail)] = nextPlace;
        tail++;
        nextPlace += turn.wanted;
        waiting += turn.wanted;
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

    /** Begins the next round where this one keeps nobody waiting who may still come; true where somebody waited. */
    public boolean advance(final long nowNs) {
        if (later.isEmpty() || !isOver(nowNs)) {
            return false;
        }
        round++;
        heldNs = Math.clamp((nowNs - roundNs) / HELD_PART, HELD_NS, KEPT_NS);
        roundNs = nowNs;
        for (Turn turn = later.poll(); turn != null; turn = later.poll()) {
            turn.isLater = false;
            append(turn);
        }
        return true;
    }

    private boolean isOver(final long nowNs) {
        if (firstPlace() == nextPlace) {
            return true;
        }
        for (long entry = head; entry != tail; entry++) {
            final Turn turn = turns[at(entry)];
            if (!isVoid(entry) && (!turn.isEligible || nowNs - turn.eligibleNs < heldNs)) {
                return false;
            }
        }
        return true;
    }

    /** Begins the next round where that is due, and wakes those whom so many credits are enough for. */
    public void wake(final int credits, final long nowNs) {
        do {
            advance(nowNs);
        } while (wakeFirst(credits, nowNs));
    }

    /** True where somebody has given his place up, and the next may go on. */
    private boolean wakeFirst(final int credits, final long nowNs) {
        boolean isChanged = false;
        final long first = firstPlace();
        for (long entry = head; entry != tail && places[at(entry)] - first < credits; entry++) {
            final Turn turn = turns[at(entry)];
            if (!isVoid(entry) && places[at(entry)] - first + turn.wanted <= credits) {
                if (!turn.isEligible) {
                    turn.isEligible = true;
                    turn.eligibleNs = nowNs;
                }
                if (!turn.waiter.tryAgain()) {
                    leave(turn);
                    isChanged = true;
                }
            }
        }
        return isChanged;
    }

    /** Takes the place of those away who could have gone on and did not; true when that was somebody. */
    public boolean age(final long nowNs) {
        boolean isChanged = false;
        for (long entry = head; entry != tail; entry++) {
            final Turn turn = turns[at(entry)];
            if (!isVoid(entry) && isLost(turn, nowNs)) {
                leave(turn);
                // Where he waits after all he asks again.
                turn.waiter.tryAgain();
                isChanged = true;
            }
        }
        return isChanged;
    }

    private boolean isLost(final Turn turn, final long nowNs) {
        final long awayNs = nowNs - turn.eligibleNs;
        return turn.isEligible && awayNs > KEPT_NS && (nowNs - triedNs > KEPT_NS || awayNs > LONGEST_KEPT_NS);
    }

    /** How long it may take until {@link #advance} or {@link #age} have something to do that nobody tells of. */
    public long patienceNs() {
        return later.isEmpty() ? KEPT_NS : heldNs;
    }

    public boolean isEmpty() {
        return later.isEmpty() && firstPlace() == nextPlace;
    }

    public void clear() {
        for (; head != tail; head++) {
            leave(turns[at(head)]);
        }
        for (Turn turn = later.poll(); turn != null; turn = later.poll()) {
            turn.isLater = false;
        }
    }
}
