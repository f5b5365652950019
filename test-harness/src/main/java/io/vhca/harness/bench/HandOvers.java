package io.vhca.harness.bench;

import io.vhca.harness.drill.fabric.ChildProcess;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * How long a round trip through several processes takes that do nothing but hand it on, by a word of shared memory, in
 * the quickest way of waiting that was found. Owns the processes, which sleep while nothing is measured, and their
 * file. One thread.
 */
final class HandOvers implements AutoCloseable {
    /** A client, its driver, the other driver, the other client, and back. */
    static final int SHARED = 1;
    /** One process and another, and back. */
    static final int OWN = 2;

    private static final int PLACES = 4;

    private final List<ChildProcess> children = new ArrayList<>();
    private final Path file;
    private final MemorySegment word;

    private HandOvers(final Path file, final MemorySegment word) {
        this.file = file;
        this.word = word;
    }

    /** Starts them; the file is made in that directory. */
    static HandOvers open(final Path directory) throws IOException, InterruptedException {
        final Path file = directory.resolve("word");
        Files.write(file, new byte[HandOverPeer.BYTES]);
        final HandOvers all = new HandOvers(file, HandOverPeer.map(file));
        boolean isDone = false;
        try {
            for (int place = 0; place < PLACES; place++) {
                all.children.add(ChildProcess.startedWith(
                        "ready", "place " + place, List.of(), HandOverPeer.class,
                        List.of(file.toString(), String.valueOf(place))));
            }
            isDone = true;
            return all;
        } finally {
            if (!isDone) {
                all.close();
            }
        }
    }

    /** Microseconds of a round trip on {@link #SHARED} or {@link #OWN}, measured for so long. */
    double microseconds(final int route, final long durationNs) throws InterruptedException {
        HandOverPeer.route(word, route);
        Thread.sleep(HandOverPeer.REST_MS); // until all of them have seen it
        final long before = HandOverPeer.steps(word);
        final long startNs = System.nanoTime();
        TimeUnit.NANOSECONDS.sleep(durationNs);
        final long steps = HandOverPeer.steps(word) - before;
        final long tookNs = System.nanoTime() - startNs;
        HandOverPeer.route(word, 0);
        return Rounds.microseconds(tookNs, steps / HandOverPeer.ROUTES.get(route).length());
    }

    @Override
    public void close() throws IOException {
        children.forEach(ChildProcess::close);
        Files.deleteIfExists(file);
    }
}
