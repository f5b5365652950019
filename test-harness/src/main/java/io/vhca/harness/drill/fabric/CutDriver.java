package io.vhca.harness.drill.fabric;

import java.util.List;
import java.util.function.LongSupplier;

/**
 * Where the drill stands in its schedule of cuts. Told facts, answers with the next action. Pure.
 *
 * <pre>
 *   WAITING --acked atBytes--> DOWN --failover--> MOVED --acked healBytes more--> WAITING (next cut) ... DONE
 * </pre>
 *
 * Where cuts are healed by time, a failover is not waited for: traffic after the healing is what counts.
 *
 * <pre>
 *   WAITING --acked atBytes--> DOWN --healAfterNs--> MENDED --acked healBytes more--> WAITING (next cut) ... DONE
 * </pre>
 */
public final class CutDriver {
    /** What the controller is to do. */
    public enum Action {
        NONE,
        CUT,
        HEAL
    }

    private enum State {
        WAITING,
        DOWN,
        MOVED,
        MENDED,
        DONE
    }

    private final List<Cut> schedule;
    private final long totalBytes;
    private final LongSupplier healAfterNs;
    private long healNs;
    private int index;
    private State state;
    private long movedAtBytes;
    private long ackedBytes;
    private long cutNs;
    private int survived;

    public CutDriver(final List<Cut> schedule, final long totalBytes) {
        this(schedule, totalBytes, () -> 0);
    }

    /** @param healAfterNs after which the next cut is healed whatever happens, 0 for never; asked when it is made */
    public CutDriver(final List<Cut> schedule, final long totalBytes, final LongSupplier healAfterNs) {
        this.schedule = schedule;
        this.totalBytes = totalBytes;
        this.healAfterNs = healAfterNs;
        state = schedule.isEmpty() ? State.DONE : State.WAITING;
    }

    /** So many bytes are acknowledged now. */
    public Action onProgress(final long bytes, final long nowNs) {
        ackedBytes = bytes;
        if (state == State.WAITING && ackedBytes >= current().atBytes()) {
            state = State.DOWN;
            cutNs = nowNs;
            healNs = healAfterNs.getAsLong();
            return Action.CUT;
        }
        if (state == State.MENDED && ackedBytes >= markBytes()) {
            survived++;
            next();
        }
        if (state == State.MOVED && ackedBytes >= markBytes()) {
            next();
            return Action.HEAL;
        }
        return Action.NONE;
    }

    private void next() {
        index++;
        state = index < schedule.size() ? State.WAITING : State.DONE;
    }

    /** So late it is. */
    public Action onTime(final long nowNs) {
        if (healNs > 0 && state == State.DOWN && nowNs - cutNs >= healNs) {
            state = State.MENDED;
            movedAtBytes = ackedBytes;
            return Action.HEAL;
        }
        return Action.NONE;
    }

    /** No more cuts; nothing is cut now. How many there were. */
    public int end() {
        final int made = index;
        index = schedule.size();
        state = State.DONE;
        return made;
    }

    /** True while no cut is under way or being got over. */
    public boolean isAtRest() {
        return state == State.WAITING || state == State.DONE;
    }

    /** The connection moved to another path. Counts once a cut. */
    public void onFailover(final long bytes) {
        if (state == State.DOWN && healNs == 0) {
            state = State.MOVED;
            movedAtBytes = bytes;
            survived++;
        }
    }

    /** How far the sender may go now, in bytes: never so little that the next mark is out of reach. */
    public long limitBytes() {
        final long planned = CutSchedule.limit(schedule, index, totalBytes);
        if (state != State.MOVED && state != State.MENDED) {
            return planned;
        }
        return index + 1 == schedule.size() ? totalBytes : Math.min(totalBytes, Math.max(planned, markBytes()));
    }

    /** At how many bytes the next {@link #onProgress} matters; {@link Long#MAX_VALUE} while it does not. */
    public long markBytes() {
        return switch (state) {
            case WAITING -> current().atBytes();
            case MOVED, MENDED -> Math.min(totalBytes, movedAtBytes + current().healBytes());
            case DOWN, DONE -> Long.MAX_VALUE;
        };
    }

    /** The cut that is planned next or under way; none once all are healed. */
    public Cut current() {
        return schedule.get(index);
    }

    public boolean isDown() {
        return state == State.DOWN;
    }

    /** True while a link is cut. */
    public boolean isCut() {
        return state == State.DOWN || state == State.MOVED;
    }

    public int survived() {
        return survived;
    }
}
