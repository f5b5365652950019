package io.vhca.harness.explore;

import java.util.List;
import java.util.Locale;

/**
 * How much may happen in one space of states. What is not counted here may happen any number of times and at any time:
 * delays of messages, their order, drains that find much or little, an end that hears late.
 *
 * @param failures failures of a path, each seen by one end
 * @param network messages lost, requests doubled, and timers that end before the message that they wait for is there:
 *     as many in all
 * @param closes applications that disconnect
 * @param restarts processes that lose all they knew
 * @param giveUps ends whose recovery_timeout passes
 * @param lies requests that a device acknowledges and then dies without having placed
 * @param paths paths between the two, all alike
 * @param left what the application of side 0 sends, in order
 * @param right what the application of side 1 sends
 */
record Bounds(
        int failures, int network, int closes, int restarts, int giveUps, int lies, int paths,
        List<Operation> left, List<Operation> right) {
    private static final int MOST = 3;

    /** Throws IllegalArgumentException for what a state has no room for. */
    Bounds {
        left = List.copyOf(left);
        right = List.copyOf(right);
        if (failures > MOST || network > MOST || closes > MOST || restarts > 1 || giveUps > 1 || lies > 1
                || paths < 1 || paths > 2 || left.size() > MOST || right.size() > MOST) {
            throw new IllegalArgumentException("bounds that a state has no room for: " + failures + " " + network + " "
                    + closes + " " + restarts + " " + giveUps + " " + lies + " " + paths + " " + left + " " + right);
        }
    }

    /** What an application sends in order. */
    List<Operation> sentBy(final int side) {
        return side == 0 ? left : right;
    }

    /** One line for a person. */
    String describe() {
        return String.format(Locale.ROOT,
                "%d failures, %d faults of the network, %d closes, %d restarts, %d give-ups, %d lost after the ACK, "
                        + "%d path%s, A sends %s, B sends %s",
                failures, network, closes, restarts, giveUps, lies, paths, paths == 1 ? "" : "s", left, right);
    }
}
