package io.vhca.harness.explore;

import io.vhca.recovery.MemoryJournal;
import java.util.List;
import java.util.Locale;

/** Goes one way through the states again and tells it. */
final class Replay {
    private static final int EVENTS = 2_000;

    private final MemoryJournal journal = new MemoryJournal(EVENTS);
    private final World world;

    Replay(final Bounds bounds, final PlantedLie lie) {
        world = new World(bounds, lie, journal);
    }

    /**
     * What happened, a line a step, and after it what both machines wrote into their journals. It ends where the
     * contract does not hold.
     *
     * @param way of each state the index of its step
     */
    String tell(final List<Integer> way) {
        final StringBuilder text = new StringBuilder(4096);
        final int[] state = new int[World.MAX_LENGTH];
        final int[] steps = new int[World.MAX_STEPS];
        int length = world.first(state);
        int number = 0;
        for (final int index : way) {
            world.load(state, 0, length);
            world.steps(steps);
            text.append(String.format(Locale.ROOT, "%3d  %s%n", ++number, world.describeStep(steps[index])));
            try {
                world.take(steps[index]);
            } catch (final RuntimeException | AssertionError e) {
                text.append("     ").append(e.getMessage()).append('\n');
                break;
            }
            length = world.store(state);
            world.load(state, 0, length);
            text.append("     ").append(world.describe()).append('\n');
        }
        return text.append("the machines' journals, epochs counted from the least one alive:\n")
                .append(journal.format())
                .toString();
    }
}
