package io.vhca.recovery;

import static io.vhca.recovery.RecoveryFact.APPLICATION_CLOSE;
import static io.vhca.recovery.RecoveryFact.CONNECT_FAILED;
import static io.vhca.recovery.RecoveryFact.DRAINED;
import static io.vhca.recovery.RecoveryFact.ESTABLISHED;
import static io.vhca.recovery.RecoveryFact.FENCED;
import static io.vhca.recovery.RecoveryFact.PATH_FAILURE;
import static io.vhca.recovery.RecoveryFact.PATH_UP;
import static io.vhca.recovery.RecoveryFact.REJECTED;
import static io.vhca.recovery.RecoveryFact.REPLAYED;
import static io.vhca.recovery.RecoveryFact.REPLY;
import static io.vhca.recovery.RecoveryFact.REQUEST;
import static io.vhca.recovery.RecoveryFact.START;
import static io.vhca.recovery.RecoveryFact.TIMER;
import static io.vhca.recovery.RecoveryFact.VQP_ERROR;
import static io.vhca.recovery.RecoveryState.ANSWERED;
import static io.vhca.recovery.RecoveryState.CLOSED;
import static io.vhca.recovery.RecoveryState.CLOSING;
import static io.vhca.recovery.RecoveryState.CONNECTED;
import static io.vhca.recovery.RecoveryState.CONNECTING;
import static io.vhca.recovery.RecoveryState.DRAINING;
import static io.vhca.recovery.RecoveryState.FAILED;
import static io.vhca.recovery.RecoveryState.FENCING;
import static io.vhca.recovery.RecoveryState.IDLE;
import static io.vhca.recovery.RecoveryState.REPLAYING;
import static io.vhca.recovery.RecoveryState.WAITING;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The two tables of recovery: what a fact does in a state, and which state may follow which.
 *
 * <pre>
 *   IDLE -> CONNECTED -> FENCING -> DRAINING -> CONNECTING -> REPLAYING -> CONNECTED       initiator
 *                           ^          |  `-----> ANSWERED ----^                           responder
 *                           |          `-----> WAITING
 *                           `-- any failure, timer, or newer REQ, from any of them
 *   FENCING/DRAINING -> CLOSING -> CLOSED      FAILED from everywhere but CLOSED
 * </pre>
 */
public final class RecoveryTransitions {
    /** What a fact means in a state. */
    public enum Reaction {
        /** The machine acts on it. */
        HANDLE,
        /** It can arrive late or twice, and means nothing any more. */
        IGNORE,
        /** It cannot arrive: the caller has a defect; counted and journalled, nothing else happens. */
        DEFECT
    }

    private static final Map<RecoveryFact, Map<RecoveryState, Reaction>> REACTIONS = new EnumMap<>(RecoveryFact.class);
    private static final Map<RecoveryState, Set<RecoveryState>> NEXT = new EnumMap<>(RecoveryState.class);

    static {
        final Set<RecoveryState> over = in(CLOSED, FAILED);
        final Set<RecoveryState> ending = in(CLOSING, CLOSED, FAILED);
        final Set<RecoveryState> recovering = EnumSet.range(FENCING, WAITING);

        // fact, where the machine acts on it, where it comes late, where it is a defect
        fact(START, in(IDLE), in(), allBut(in(IDLE)));
        fact(PATH_FAILURE, both(in(CONNECTED), recovering), both(in(IDLE), ending), in());
        fact(FENCED, in(FENCING), both(EnumSet.range(DRAINING, WAITING), ending), in(IDLE, CONNECTED));
        fact(DRAINED, in(DRAINING), ending, in(IDLE, CONNECTED, FENCING, CONNECTING, ANSWERED, REPLAYING, WAITING));
        fact(REQUEST, allBut(in()), in(), in());
        fact(REPLY, in(CONNECTING), allBut(in(CONNECTING)), in());
        fact(REJECTED, in(CONNECTING, CLOSING), allBut(in(CONNECTING, CLOSING)), in());
        fact(CONNECT_FAILED, in(CONNECTING, ANSWERED, CLOSING), allBut(in(CONNECTING, ANSWERED, CLOSING)), in());
        fact(ESTABLISHED, in(IDLE, ANSWERED), allBut(in(IDLE, ANSWERED)), in());
        fact(REPLAYED, in(REPLAYING), both(in(CONNECTED, FENCING, DRAINING, ANSWERED), ending),
                in(IDLE, CONNECTING, WAITING));
        fact(PATH_UP, recovering, both(in(IDLE, CONNECTED), ending), in());
        fact(APPLICATION_CLOSE, both(in(IDLE, CONNECTED), recovering), ending, in());
        fact(TIMER, both(recovering, in(CLOSING)), over, in(IDLE, CONNECTED));
        fact(VQP_ERROR, both(in(IDLE, CONNECTED), recovering), ending, in());

        follow(IDLE, CONNECTED, FENCING, CLOSED, FAILED);
        follow(CONNECTED, FENCING, FAILED);
        follow(FENCING, DRAINING, CLOSED, FAILED);
        follow(DRAINING, CONNECTING, ANSWERED, WAITING, CLOSING, CLOSED, FAILED);
        follow(CONNECTING, FENCING, REPLAYING, WAITING, CLOSED, FAILED);
        follow(ANSWERED, FENCING, REPLAYING, FAILED);
        follow(REPLAYING, FENCING, CONNECTED, FAILED);
        follow(WAITING, FENCING, FAILED);
        follow(CLOSING, CLOSED);
        follow(CLOSED);
        follow(FAILED);
        if (REACTIONS.size() != RecoveryFact.values().length || NEXT.size() != RecoveryState.values().length) {
            throw new ExceptionInInitializerError("a fact or a state has no row");
        }
    }

    private RecoveryTransitions() {}

    private static Set<RecoveryState> in(final RecoveryState... states) {
        final Set<RecoveryState> set = EnumSet.noneOf(RecoveryState.class);
        set.addAll(List.of(states));
        return set;
    }

    private static Set<RecoveryState> both(final Set<RecoveryState> a, final Set<RecoveryState> b) {
        final Set<RecoveryState> set = EnumSet.copyOf(a);
        set.addAll(b);
        return set;
    }

    private static Set<RecoveryState> allBut(final Set<RecoveryState> states) {
        final Set<RecoveryState> set = EnumSet.allOf(RecoveryState.class);
        set.removeAll(states);
        return set;
    }

    private static void fact(
            final RecoveryFact fact,
            final Set<RecoveryState> handle,
            final Set<RecoveryState> ignore,
            final Set<RecoveryState> defect) {
        final Map<RecoveryState, Reaction> row = new EnumMap<>(RecoveryState.class);
        handle.forEach(state -> row.put(state, Reaction.HANDLE));
        ignore.forEach(state -> row.put(state, Reaction.IGNORE));
        defect.forEach(state -> row.put(state, Reaction.DEFECT));
        final int states = RecoveryState.values().length;
        if (row.size() != states || handle.size() + ignore.size() + defect.size() != states
                || REACTIONS.put(fact, row) != null) {
            throw new ExceptionInInitializerError("the row of " + fact + " does not name each state once");
        }
    }

    private static void follow(final RecoveryState from, final RecoveryState... next) {
        if (NEXT.put(from, in(next)) != null) {
            throw new ExceptionInInitializerError("two rows of " + from);
        }
    }

    /** What a fact does in a state. */
    public static Reaction reaction(final RecoveryState state, final RecoveryFact fact) {
        return Objects.requireNonNull(Objects.requireNonNull(REACTIONS.get(fact)).get(state));
    }

    /** Whether a state may follow another one directly. */
    public static boolean allowed(final RecoveryState from, final RecoveryState to) {
        return Objects.requireNonNull(NEXT.get(from)).contains(to);
    }
}
