package io.vhca.harness.sim;

import io.vhca.physical.soft.fabric.SimFabric;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Runs seeds over one simulated network, and over a new one after a bad run: nobody looks at what that left in it. One
 * thread; owns the network.
 *
 * @param <R> what a run ends with
 */
public final class FabricWorker<R> implements SeedWorkers.Worker<R> {
    private final Supplier<SimFabric> fabrics;
    private final Run<R> run;
    private final Predicate<R> isGood;
    private SimFabric fabric;

    /**
     * The scenario of a seed.
     *
     * @param <R> what it ends with
     */
    @FunctionalInterface
    public interface Run<R> {
        R over(SimFabric fabric, long seed);
    }

    /** @param isGood whether the network is as it was before the run */
    public FabricWorker(final Supplier<SimFabric> fabrics, final Run<R> run, final Predicate<R> isGood) {
        this.fabrics = fabrics;
        this.run = run;
        this.isGood = isGood;
        fabric = fabrics.get();
    }

    @Override
    public R run(final long seed) {
        final R result = run.over(fabric, seed);
        if (!isGood.test(result)) {
            fabric.close();
            fabric = fabrics.get();
        }
        return result;
    }

    @Override
    public void close() {
        fabric.close();
    }
}
