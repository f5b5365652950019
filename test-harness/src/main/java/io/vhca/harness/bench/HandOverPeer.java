package io.vhca.harness.bench;

import io.vhca.harness.drill.protocol.ChildFailure;
import io.vhca.harness.drill.protocol.DrillLine;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * Main class of a process that hands a word on, and does nothing else: {@code FILE PLACE}. In the file is which route
 * the word takes and how many steps it has gone; who has the place that is next on the route takes the next step. It
 * ends with who started it.
 */
public final class HandOverPeer {
    /** Places in the order of the steps, by number; 0 is no route: all sleep. */
    static final List<String> ROUTES = List.of("", "012321", "03");

    static final int BYTES = 128;
    /** On a line of the cache each. */
    private static final long ROUTE_OFFSET = 0;

    private static final long STEPS_OFFSET = 64;
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
    /** Who has nothing to hand on is in nobody's way: it looks for a route this often. */
    static final long REST_MS = 20;
    /** Looks before a process leaves its processor to another one: what measured best on two processors. */
    private static final int LOOKS = 50;

    private HandOverPeer() {}

    public static void main(final String[] args) {
        ChildFailure.guard(() -> {
            ChildFailure.obey(line -> {});
            final MemorySegment word = map(Path.of(args[0]));
            DrillLine.of("ready").say();
            run(word, args[1]);
        });
    }

    /** The word; as long as the process lives. */
    static MemorySegment map(final Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, BYTES, Arena.global());
        }
    }

    /** Lets the word take that route. */
    static void route(final MemorySegment word, final int number) {
        INT.setRelease(word, ROUTE_OFFSET, number);
    }

    static long steps(final MemorySegment word) {
        return (long) LONG.getAcquire(word, STEPS_OFFSET);
    }

    private static void run(final MemorySegment word, final String place) throws InterruptedException {
        while (true) {
            final int number = (int) INT.getAcquire(word, ROUTE_OFFSET);
            final String route = ROUTES.get(number);
            if (route.contains(place)) {
                handOn(word, number, route, place.charAt(0));
            } else {
                Thread.sleep(REST_MS);
            }
        }
    }

    private static void handOn(final MemorySegment word, final int number, final String route, final char place) {
        int looks = 0;
        while ((int) INT.getAcquire(word, ROUTE_OFFSET) == number) {
            final long step = steps(word);
            if (route.charAt((int) (step % route.length())) == place) {
                LONG.setRelease(word, STEPS_OFFSET, step + 1);
                looks = 0;
            } else if (++looks % LOOKS == 0) {
                Thread.yield();
            } else {
                Thread.onSpinWait();
            }
        }
    }
}
