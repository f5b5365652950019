package io.vhca.bond.memory;

import io.vhca.api.NativeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * Closes the gates of all queues of a bond, copies their native memory and opens them again, whatever happens between.
 * Control lock: no recovery goes on meanwhile. A thread that posts or polls waits as for another one that is inside.
 *
 * <p>What is copied to is allocated before and written elsewhere later, so the pause is as long as it takes to enter
 * the gates and to copy. Where a gate cannot be entered within {@link #PATIENCE_NS}, nobody is kept any longer and
 * nothing is copied.
 */
public final class MemoryFreeze {
    /** So long is waited for all gates together. */
    public static final long PATIENCE_NS = 50_000_000;

    /** Bytes that are copied at most. */
    public static final long MOST_BYTES = 64L << 20;

    private static final int ALIGNMENT = 64;
    private static final int REHEARSALS = 512;

    private final List<GatedMemory> objects;
    /** Made before, as everything that takes time. */
    private final List<String> names;

    private final List<@Nullable MemorySegment> copies = new ArrayList<>();
    private final NanoClock clock;
    private final Deque<Gate> entered = new ArrayDeque<>();
    private int leftOut;

    /**
     * Allocates what is copied to.
     *
     * @param arena for the copies
     * @param clock that the pause is measured by
     */
    MemoryFreeze(final List<GatedMemory> objects, final Arena arena, final NanoClock clock) {
        // Who is inside a completion queue enters queues: those first, as everybody does.
        this.objects = objects.stream().sorted(Comparator.comparing(object -> !object.isOuter())).toList();
        this.clock = clock;
        names = this.objects.stream().map(Object::toString).toList();
        long bytes = 0;
        for (final GatedMemory object : this.objects) {
            final NativeBlock block = object.nativeBlock();
            if (block == null) {
                copies.add(null);
            } else if (bytes + block.bytes() > MOST_BYTES) {
                copies.add(null);
                leftOut++;
            } else {
                copies.add(arena.allocate(block.bytes(), ALIGNMENT));
                bytes += block.bytes();
            }
        }
    }

    /** Does all of it with memory of nobody: what is linked and compiled at first use takes longer than a pause may. */
    static void rehearse(final Arena arena, final NanoClock clock) {
        try (NativeBlock block = new NativeBlock("rehearsal", 0, NativeBlock.bytesOf(ALIGNMENT))) {
            block.part("vXX", ALIGNMENT);
            new MemoryFreeze(Collections.nCopies(REHEARSALS, new Rehearsal(block)), arena, clock).take(object -> { });
        }
    }

    /** Memory that nobody uses. */
    private record Rehearsal(NativeBlock nativeBlock) implements GatedMemory, Gate {
        @Override
        public boolean enterUnless(final BooleanSupplier isLate) {
            return !isLate.getAsBoolean();
        }

        @Override
        public void leave() {
            // Nobody was kept out.
        }

        @Override
        public void cursors(final CursorSink to) {
            to.cursor("vXX", "retired", 0);
        }
    }

    /** @param onlooker is shown each object that has native memory, inside all gates, in the order of the blocks */
    FrozenMemory take(final Consumer<GatedMemory> onlooker) {
        final long beganNs = clock.nanoTime();
        final List<FrozenMemory.Block> blocks = new ArrayList<>();
        String stuck = "";
        final int gates;
        try {
            stuck = enterAll(beganNs);
            gates = entered.size();
            if (stuck.isEmpty()) {
                for (int i = 0; i < objects.size(); i++) {
                    final GatedMemory object = objects.get(i);
                    final NativeBlock block = object.nativeBlock();
                    if (block != null) {
                        blocks.add(copy(object, names.get(i), block, copies.get(i)));
                        onlooker.accept(object);
                    }
                }
            }
        } finally {
            while (!entered.isEmpty()) {
                entered.pop().leave();
            }
        }
        return stuck.isEmpty()
                ? new FrozenMemory(clock.nanoTime() - beganNs, gates, "", List.copyOf(blocks), leftOut)
                : new FrozenMemory(0, 0, stuck, List.of(), objects.size());
    }

    /** Which object could not be entered in time, or an empty text. */
    private String enterAll(final long beganNs) {
        final boolean[] isStuck = new boolean[1];
        for (final GatedMemory object : objects) {
            object.gates(gate -> {
                if (!isStuck[0] && gate.enterUnless(() -> clock.nanoTime() - beganNs > PATIENCE_NS)) {
                    entered.push(gate);
                } else {
                    isStuck[0] = true;
                }
            });
            if (isStuck[0]) {
                return object + " was not left for " + PATIENCE_NS / 1_000_000
                        + " ms: `vhca threads` shows who is inside";
            }
        }
        return "";
    }

    private static FrozenMemory.Block copy(
            final GatedMemory object, final String name, final NativeBlock block, final @Nullable MemorySegment to) {
        assert to == null || to.byteSize() == block.bytes() : name + " has grown without the control lock";
        if (to != null) {
            NativeMemory.copy(block.address(), to.address(), block.bytes());
        }
        final List<FrozenMemory.Cursor> cursors = new ArrayList<>();
        object.cursors((queue, what, value) -> cursors.add(new FrozenMemory.Cursor(queue, what, value)));
        return new FrozenMemory.Block(name, block, to, cursors);
    }
}
