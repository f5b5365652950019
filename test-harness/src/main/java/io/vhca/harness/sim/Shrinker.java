package io.vhca.harness.sim;

/** Makes a bad scenario smaller by leaving out faults, connections and operations, as long as it stays bad. */
final class Shrinker {
    private final long seed;
    private SimOptions best;

    private Shrinker(final long seed, final SimOptions options) {
        this.seed = seed;
        best = options;
    }

    /** The smallest options found under which the seed is still bad. */
    static SimOptions shrink(final long seed, final SimOptions options) {
        return new Shrinker(seed, options).shrink();
    }

    private SimOptions shrink() {
        final Scenario scenario = ScenarioDraw.draw(seed, best);
        for (int qps = 1; qps < scenario.qps().size() && !tryOne(best.qps(qps)); qps++) {
            // The first number that fails is taken.
        }
        for (int fault = scenario.faults().size() - 1; fault >= 0; fault--) {
            tryOne(best.faults(best.faultMask() & ~(1L << fault)));
        }
        for (int ops = 1; ops < 80 && !tryOne(best.ops(ops)); ops += 1 + ops / 4) {
            // As above.
        }
        return best;
    }

    private boolean tryOne(final SimOptions candidate) {
        final Scenario scenario = ScenarioDraw.draw(seed, candidate);
        if (scenario.faults().isEmpty() || !isBad(candidate)) {
            return false;
        }
        best = candidate;
        return true;
    }

    private boolean isBad(final SimOptions candidate) {
        try (WorkerMemory memory = new WorkerMemory()) {
            return !SimRunner.run(seed, candidate, Recording.NONE, memory).isGood();
        } catch (final RuntimeException | Error e) {
            return true;
        }
    }
}
