package io.vhca.recovery;

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

    private static final Map<RecoveryState, Map<RecoveryFact, Reaction>> REACTIONS = new EnumMap<>(RecoveryState.class);
    private static final Map<RecoveryState, Set<RecoveryState>> NEXT = new EnumMap<>(RecoveryState.class);

    static {
        // Letters in the order of RecoveryFact: START PATH_FAILURE FENCED DRAINED REQUEST, REPLY REJECTED
        // CONNECT_FAILED ESTABLISHED REPLAYED,
        // PATH_UP APPLICATION_CLOSE TIMER VQP_ERROR. H handle, - ignore, D defect.
        row(IDLE, "H-DDH" + "---HD" + "-HDH", CONNECTED, FENCING, CLOSED, FAILED);
        row(CONNECTED, "DHDDH" + "-----" + "-HDH", FENCING, FAILED);
        row(FENCING, "DHHDH" + "-----" + "HHHH", DRAINING, CLOSED, FAILED);
        row(DRAINING, "DH-HH" + "-----" + "HHHH", CONNECTING, ANSWERED, WAITING, CLOSING, CLOSED, FAILED);
        row(CONNECTING, "DH-DH" + "HHH-D" + "HHHH", FENCING, REPLAYING, WAITING, CLOSED, FAILED);
        row(ANSWERED, "DH-DH" + "--HH-" + "HHHH", FENCING, REPLAYING, FAILED);
        row(REPLAYING, "DH-DH" + "----H" + "HHHH", FENCING, CONNECTED, FAILED);
        row(WAITING, "DH-DH" + "----D" + "HHHH", FENCING, FAILED);
        row(CLOSING, "D---H" + "-HH--" + "--H-", CLOSED);
        row(CLOSED, "D---H" + "-----" + "----");
        row(FAILED, "D---H" + "-----" + "----");
    }

    private RecoveryTransitions() {}

    private static void row(final RecoveryState state, final String reactions, final RecoveryState... next) {
        final RecoveryFact[] facts = RecoveryFact.values();
        if (reactions.length() != facts.length || REACTIONS.containsKey(state)) {
            throw new ExceptionInInitializerError("row of " + state + " is wrong: " + reactions);
        }
        final Map<RecoveryFact, Reaction> row = new EnumMap<>(RecoveryFact.class);
        for (final RecoveryFact fact : facts) {
            row.put(fact, switch (reactions.charAt(fact.ordinal())) {
                case 'H' -> Reaction.HANDLE;
                case '-' -> Reaction.IGNORE;
                case 'D' -> Reaction.DEFECT;
                default -> throw new ExceptionInInitializerError("letter of " + state + " x " + fact + " is unknown");
            });
        }
        REACTIONS.put(state, row);
        final EnumSet<RecoveryState> states = EnumSet.noneOf(RecoveryState.class);
        states.addAll(List.of(next));
        NEXT.put(state, states);
    }

    /** What a fact does in a state. */
    public static Reaction reaction(final RecoveryState state, final RecoveryFact fact) {
        return Objects.requireNonNull(Objects.requireNonNull(REACTIONS.get(state)).get(fact));
    }

    /** Whether a state may follow another one directly. */
    public static boolean allowed(final RecoveryState from, final RecoveryState to) {
        return Objects.requireNonNull(NEXT.get(from)).contains(to);
    }
}
