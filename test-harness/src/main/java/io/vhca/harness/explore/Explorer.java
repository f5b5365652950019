package io.vhca.harness.explore;

import io.vhca.recovery.Journal;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Goes through every state that the bounds allow, breadth first: the first violation found has the fewest steps. Then
 * it follows the fair schedule from every state, which must come to a good end. One use; {@link #run} blocks.
 */
final class Explorer {
    /** A fair schedule from a state that was not gone on from has this many steps at most. */
    private static final int LONGEST_END = 2_000;

    private final Bounds bounds;
    private final PlantedLie lie;
    private final int depth;
    private final int threads;
    private final StateTable table;
    private final AtomicReference<@Nullable Finding> finding = new AtomicReference<>();
    /** What a thread ended of; then nothing is known of the states that it had taken. */
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private long taken;
    private int deepest;
    private int ends;
    private long nextNews = NEWS;

    private static final long NEWS = 1_000_000;

    /** A violation after a state, by one of its steps, or in it where that is -1. */
    private record Finding(int state, int step, String what) {}

    /**
     * What came of it.
     *
     * @param states states reached
     * @param steps steps taken from them
     * @param deepest steps of the shortest way to the farthest state
     * @param isWhole whether there is nothing behind that: the depth was enough
     * @param ends states in which nothing more happens by itself
     * @param history null where all is well, else the violation and the shortest way there
     */
    record Result(int states, long steps, int deepest, boolean isWhole, int ends, @Nullable String history) {
        boolean isGood() {
            return history == null;
        }
    }

    /** @param depth most steps from the first state; beyond, only the fair schedule is followed */
    Explorer(final Bounds bounds, final PlantedLie lie, final int depth, final int threads) {
        this(bounds, lie, depth, threads, new StateTable());
    }

    /** @param table empty */
    Explorer(
            final Bounds bounds, final PlantedLie lie, final int depth, final int threads, final StateTable table) {
        this.table = table;
        this.bounds = bounds;
        this.lie = lie;
        this.depth = depth;
        this.threads = threads;
    }

    /**
     * Explores.
     *
     * @param news is told now and then how far it is
     * @throws IllegalStateException when a thread of it fails, as where memory is too small
     */
    Result run(final Consumer<String> news) throws InterruptedException {
        final Worker[] workers = new Worker[threads];
        for (int i = 0; i < threads; i++) {
            workers[i] = new Worker();
        }
        Frontier frontier = new Frontier();
        final int[] state = new int[World.MAX_LENGTH];
        final int length = workers[0].world.first(state);
        frontier.add(-1 - table.add(StateTable.hash(state, length), StateTable.NONE, 0), state, length);
        while (!frontier.isEmpty() && deepest < depth && finding.get() == null) {
            frontier = level(workers, frontier, false);
            deepest += frontier.isEmpty() ? 0 : 1;
            tell(news);
        }
        final boolean isWhole = frontier.isEmpty();
        if (finding.get() == null) {
            level(workers, frontier, true);
        }
        if (finding.get() == null) {
            checkEnds();
        }
        for (final Worker worker : workers) {
            taken += worker.taken;
            ends += worker.ends;
        }
        final Finding found = finding.get();
        return new Result(table.size(), taken, deepest, isWhole, ends, found == null ? null : history(found));
    }

    private void tell(final Consumer<String> news) {
        if (table.size() >= nextNews) {
            news.accept(table.size() + " states, " + deepest + " steps deep");
            nextNews = table.size() + NEWS;
        }
    }

    private Frontier level(final Worker[] workers, final Frontier frontier, final boolean isLast)
            throws InterruptedException {
        final Thread[] running = new Thread[workers.length];
        for (int i = 0; i < workers.length; i++) {
            final Worker worker = workers[i];
            running[i] = new Thread(() -> worker.work(frontier, isLast), "explore-" + i);
            running[i].start();
        }
        final Frontier next = new Frontier();
        for (int i = 0; i < workers.length; i++) {
            running[i].join();
            next.addAll(workers[i].next);
            workers[i].next = new Frontier();
        }
        final Throwable failed = failure.get();
        if (failed != null) {
            throw new IllegalStateException("a thread of the exploration ended: " + failed, failed);
        }
        return next;
    }

    /** Follows the fair schedule from every state; none may come round to itself. */
    private void checkEnds() {
        final int states = table.size();
        final BitSet good = new BitSet(states);
        final List<Integer> way = new ArrayList<>();
        final BitSet onTheWay = new BitSet();
        for (int state = 0; state < states; state++) {
            way.clear();
            int at = state;
            while (at >= 0 && !good.get(at) && !onTheWay.get(at)) {
                way.add(at);
                onTheWay.set(at);
                at = table.next(at);
            }
            if (at >= 0 && onTheWay.get(at)) {
                finding.set(new Finding(at, -1, "in a fair schedule this state comes again and again: nothing ends"));
                return;
            }
            for (final int passed : way) {
                good.set(passed);
                onTheWay.clear(passed);
            }
        }
    }

    /** One thread's part. */
    private final class Worker {
        private final World world = new World(bounds, lie, Journal.NONE);
        private final int[] steps = new int[World.MAX_STEPS];
        private final int[] reached = new int[World.MAX_LENGTH];
        private final int[] here = new int[World.MAX_LENGTH];
        private Frontier next = new Frontier();
        private long taken;
        private int ends;

        void work(final Frontier frontier, final boolean isLast) {
            try {
                workAll(frontier, isLast);
            } catch (final RuntimeException | Error e) {
                failure.compareAndSet(null, e);
            }
        }

        private void workAll(final Frontier frontier, final boolean isLast) {
            for (int[] chunk = frontier.take();
                    chunk != null && finding.get() == null && failure.get() == null;
                    chunk = frontier.take()) {
                for (int at = 0; at + 2 < chunk.length && chunk[at] != 0; at += chunk[at] + 2) {
                    final int number = chunk[at + 1];
                    final int length = chunk[at];
                    System.arraycopy(chunk, at + 2, here, 0, length);
                    if (isLast) {
                        end(number, length);
                    } else {
                        goOn(number, length);
                    }
                }
            }
        }

        /** Takes every step of a state. */
        private void goOn(final int number, final int length) {
            world.load(here, 0, length);
            final int count = world.steps(steps);
            if (count == 0 || !Step.of(steps[0]).isFair()) {
                ended(number);
            }
            for (int i = 0; i < count; i++) {
                final int resultLength = take(number, length, i);
                if (resultLength < 0) {
                    return;
                }
                final int result = table.add(StateTable.hash(reached, resultLength), number, i);
                final int reachedNumber = result < 0 ? -1 - result : result;
                if (result < 0) {
                    next.add(reachedNumber, reached, resultLength);
                }
                if (i == 0 && Step.of(steps[0]).isFair()) {
                    table.follows(number, reachedNumber);
                }
            }
        }

        /** Takes a step of the state that stands in {@link #here}. Returns the length of what was reached, or -1. */
        private int take(final int number, final int length, final int index) {
            try {
                world.load(here, 0, length);
                world.take(steps[index]);
                taken++;
                return world.store(reached);
            } catch (final RuntimeException | AssertionError e) {
                finding.compareAndSet(null, new Finding(number, index, what(e)));
                return -1;
            }
        }

        private void ended(final int number) {
            ends++;
            table.follows(number, StateTable.END);
            try {
                world.checkEnd();
            } catch (final Violation e) {
                finding.compareAndSet(null, new Finding(number, -1, what(e)));
            }
        }

        /** Follows the fair schedule from a state that is not gone on from. */
        private void end(final int number, final int from) {
            int length = from;
            for (int i = 0; i < LONGEST_END; i++) {
                world.load(here, 0, length);
                final int count = world.steps(steps);
                if (count == 0 || !Step.of(steps[0]).isFair()) {
                    ended(number);
                    return;
                }
                length = take(number, length, 0);
                if (length < 0) {
                    return;
                }
                System.arraycopy(reached, 0, here, 0, length);
            }
            finding.compareAndSet(null, new Finding(number, -1, "nothing has ended after a fair schedule of "
                    + LONGEST_END + " steps"));
        }
    }

    private static String what(final Throwable thrown) {
        return thrown instanceof Violation ? String.valueOf(thrown.getMessage()) : thrown.toString();
    }

    private String history(final Finding found) {
        final List<Integer> way = new ArrayList<>();
        if (found.step >= 0) {
            way.add(found.step);
        }
        for (int at = found.state; table.parent(at) != StateTable.NONE; at = table.parent(at)) {
            way.addFirst(table.step(at));
        }
        return "violated: " + found.what + "\n" + new Replay(bounds, lie).tell(way);
    }
}
