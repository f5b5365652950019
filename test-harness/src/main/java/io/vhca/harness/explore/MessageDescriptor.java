package io.vhca.harness.explore;

/**
 * Messages and the connections that they belong to, as numbers.
 *
 * <pre>
 *    27      21 20   17 16      14 13  12 11     5    4      3     2 1      0
 *   +----------+-------+----------+------+--------+------+-------+-----+---------+
 *   | heard at | code  | received | kind | epoch  | side | close | try | doubled |
 *   +----------+-------+----------+------+--------+------+-------+-----+---------+
 *                                        |            the connection            |
 * </pre>
 *
 * A connection is named by the side that asked for it and its epoch; a CLOSE, which has no epoch of its own, by the
 * number of the try as well. A REQ that the network doubled asks for another connection than the first one. Epochs
 * begin with 1: only {@link #NONE} and {@link #FIRST} have 0 there.
 */
final class MessageDescriptor {
    /** No connection, and no message. */
    static final int NONE = 0;
    /** The connection that stands when everything begins. */
    static final int FIRST = 1;

    static final int REQ = 0;
    static final int REP = 1;
    static final int RTU = 2;
    static final int REJ = 3;

    private static final int DOUBLED = 1;
    private static final int TRY_SHIFT = 1;
    private static final int TRY_BITS = 2;
    private static final int CLOSE_SHIFT = TRY_SHIFT + TRY_BITS;
    private static final int SIDE_SHIFT = CLOSE_SHIFT + 1;
    private static final int EPOCH_SHIFT = SIDE_SHIFT + 1;
    private static final int EPOCH_BITS = 7;
    private static final int KIND_SHIFT = EPOCH_SHIFT + EPOCH_BITS;
    private static final int RECEIVED_SHIFT = KIND_SHIFT + 2;
    private static final int CODE_SHIFT = RECEIVED_SHIFT + 3;
    private static final int HEARD_SHIFT = CODE_SHIFT + 4;

    static final int MAX_EPOCH = (1 << EPOCH_BITS) - 1;
    static final int CONNECTION_BITS = KIND_SHIFT;

    private static final String[] KINDS = {"REQ", "REP", "RTU", "REJ"};
    private static final String[] SIDES = {"A", "B"};

    private MessageDescriptor() {}

    static int connection(final int side, final int epoch, final boolean isClose, final int attempt) {
        if (epoch < 1 || epoch > MAX_EPOCH || attempt >= 1 << TRY_BITS) {
            throw new Violation("an end asks again and again: epoch " + epoch + ", try " + attempt + " of a CLOSE");
        }
        return epoch << EPOCH_SHIFT | side << SIDE_SHIFT | (isClose ? 1 << CLOSE_SHIFT : 0) | attempt << TRY_SHIFT;
    }

    static int message(final int kind, final int connection, final int received, final int code, final int heard) {
        return heard << HEARD_SHIFT | code << CODE_SHIFT | received << RECEIVED_SHIFT | kind << KIND_SHIFT | connection;
    }

    static int connectionOf(final int message) {
        return message & (1 << CONNECTION_BITS) - 1;
    }

    static int kind(final int message) {
        return message >>> KIND_SHIFT & 3;
    }

    static int received(final int message) {
        return message >>> RECEIVED_SHIFT & 7;
    }

    static int code(final int message) {
        return message >>> CODE_SHIFT & 15;
    }

    static int heard(final int message) {
        return message >>> HEARD_SHIFT & MAX_EPOCH;
    }

    /** Who asked for the connection. */
    static int asker(final int connection) {
        return connection >>> SIDE_SHIFT & 1;
    }

    static int epoch(final int connection) {
        return connection >>> EPOCH_SHIFT & MAX_EPOCH;
    }

    static boolean isClose(final int connection) {
        return (connection >>> CLOSE_SHIFT & 1) != 0;
    }

    static boolean isDoubled(final int connection) {
        return (connection & DOUBLED) != 0;
    }

    /** The second of two, where the network doubles the REQ. */
    static int doubled(final int message) {
        return message | DOUBLED;
    }

    /** The asking end has one connection, whichever of two REQs is answered. */
    static int attemptOf(final int connection) {
        return connection == FIRST ? FIRST : connection & ~DOUBLED;
    }

    /** Who a message is for: the side that was asked gets REQ and RTU, the side that asked the rest. */
    static int receiver(final int message) {
        final int kind = kind(message);
        return kind == REQ || kind == RTU ? 1 - asker(message) : asker(message);
    }

    /** The least epoch in a connection or message, or the given one where that is less or there is none. */
    static int leastEpoch(final int message, final int least) {
        final int own = epoch(message);
        final int heard = heard(message);
        int result = own != 0 && own < least ? own : least;
        result = heard != 0 && heard < result ? heard : result;
        return result;
    }

    /** The same with every epoch less by so many. */
    static int shifted(final int message, final int by) {
        int result = message;
        if (epoch(message) != 0) {
            result -= by << EPOCH_SHIFT;
        }
        if (heard(message) != 0) {
            result -= by << HEARD_SHIFT;
        }
        return result;
    }

    static String describe(final int message) {
        final StringBuilder text = new StringBuilder(KINDS[kind(message)]);
        text.append(kind(message) == REQ ? " of " : " to the REQ of ").append(describeConnection(message));
        if (kind(message) == REQ || kind(message) == REP) {
            text.append(", received ").append(received(message));
        }
        if (kind(message) == REJ) {
            text.append(", code ").append(code(message));
        }
        return text.append(", to ").append(SIDES[receiver(message)]).toString();
    }

    private static String describeConnection(final int connection) {
        return SIDES[asker(connection)] + (isClose(connection) ? ", CLOSE" : "") + ", epoch " + epoch(connection)
                + (isDoubled(connection) ? ", doubled" : "");
    }
}
