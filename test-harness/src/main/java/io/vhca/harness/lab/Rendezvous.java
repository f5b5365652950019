package io.vhca.harness.lab;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The barriers of a run: nobody leaves one before all have come to it, and nobody waits for a job that has ended. Pure;
 * one thread at a time.
 *
 * @param <W> how one who waits is called on
 */
final class Rendezvous<W> {
    /** Who may go on, and whether everybody came. */
    record Release<W>(List<W> waiting, boolean isComplete) {}

    private final Set<Integer> jobs;
    private final Map<String, Map<Integer, W>> barriers = new LinkedHashMap<>();
    /** A job has ended: no barrier will be complete any more. */
    private boolean isShort;

    /** @param jobs who takes part in every barrier */
    Rendezvous(final Set<Integer> jobs) {
        this.jobs = new HashSet<>(jobs);
    }

    /** A job came to a barrier. */
    Release<W> arrive(final String barrier, final int job, final W waiting) {
        final Map<Integer, W> arrived = barriers.computeIfAbsent(barrier, name -> new LinkedHashMap<>());
        arrived.put(job, waiting);
        if (isShort || arrived.keySet().containsAll(jobs)) {
            barriers.remove(barrier);
            return new Release<>(List.copyOf(arrived.values()), !isShort);
        }
        return new Release<>(List.of(), false);
    }

    /** A job ended: whoever waits, waits in vain. */
    Release<W> leave() {
        isShort = true;
        final List<W> waiting = new ArrayList<>();
        barriers.values().forEach(arrived -> waiting.addAll(arrived.values()));
        barriers.clear();
        return new Release<>(waiting, false);
    }
}
