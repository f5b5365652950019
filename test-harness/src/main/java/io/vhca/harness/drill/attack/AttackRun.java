package io.vhca.harness.drill.attack;

import io.vhca.bond.config.BondConfig;
import io.vhca.harness.drill.attack.kind.AttackKind;
import io.vhca.harness.drill.fabric.AttackFabric;
import io.vhca.harness.drill.protocol.DrillLine;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes one attack after the other and judges each. One thread; processes and fabric are removed at the end, after a
 * failure, and by a shutdown hook after Ctrl-C.
 */
public final class AttackRun {
    private static final long BACK_WITHIN_MS = 10_000;
    private static final long LOOK_AGAIN_MS = 500;
    private static final int MOST_AGAIN = 2;
    private static final String FAILOVERS = "bond.FAILOVERS";
    private static final int BOND_PORT =
            BondConfig.builder("bond0").members(List.of("soft0")).build().basePort();

    private final AttackOptions options;
    private final AttackFabric fabric;
    private final AttackedPair pair;
    private final Consumer<AttackVerdict> hears;

    /** @param hears each verdict as it falls */
    public AttackRun(
            final AttackOptions options, final AttackFabric fabric, final Consumer<AttackVerdict> hears) {
        this.options = options;
        this.fabric = fabric;
        this.hears = hears;
        pair = new AttackedPair(fabric, options);
    }

    /** What both ends count and hold. */
    private record Measured(DrillLine receiver, DrillLine sender) {
        long count(final String name) {
            return receiver.number(name) + sender.number(name);
        }

        /** By how much the end grew that grew most. */
        long growth(final Measured since) {
            return Math.max(
                    receiver.number("memory") - since.receiver.number("memory"),
                    sender.number("memory") - since.sender.number("memory"));
        }
    }

    /**
     * Makes all attacks of the options.
     *
     * @throws IOException when the fabric or the processes cannot be started
     */
    public List<AttackVerdict> run() throws IOException, InterruptedException {
        final Thread hook = new Thread(this::cleanUp, "drill-cleanup");
        Runtime.getRuntime().addShutdownHook(hook);
        final List<AttackVerdict> verdicts = new ArrayList<>();
        try {
            fabric.setUp();
            pair.start();
            warmUp();
            final SplittableRandom random = new SplittableRandom(options.seed());
            for (final AttackKind kind : options.kinds()) {
                final AttackVerdict verdict = attackOrAgain(kind, random.nextLong());
                verdicts.add(verdict);
                hears.accept(verdict);
                // After a failover the ids that were seen are another connection's.
                if (!pair.broken().isEmpty() || verdict.failovers() > 0) {
                    pair.start();
                    warmUp();
                }
            }
        } finally {
            cleanUp();
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (final IllegalStateException e) {
                // Ctrl-C: it is running already, and does the same.
            }
        }
        return verdicts;
    }

    private void cleanUp() {
        pair.close();
        fabric.close();
    }

    /** Until then compilers and caches grow whatever anybody does. */
    private void warmUp() throws InterruptedException {
        pair.listen(options.attackMs());
        measure();
        pair.isExact();
    }

    private @Nullable Measured measure() throws InterruptedException {
        final DrillLine receiver = pair.measure(true);
        final DrillLine sender = pair.measure(false);
        return receiver == null || sender == null ? null : new Measured(receiver, sender);
    }

    /** Makes the attack again where throughput alone fell: others use the machine too, and harm shows each time. */
    private AttackVerdict attackOrAgain(final AttackKind kind, final long seed) throws InterruptedException {
        AttackVerdict verdict = attack(kind, seed);
        for (int again = 0; again < MOST_AGAIN && options.isRateJudged() && verdict.isOnlySlow(); again++) {
            verdict = attack(kind, seed);
        }
        return verdict;
    }

    private AttackVerdict attack(final AttackKind kind, final long seed) throws InterruptedException {
        if (kind.attacker().hasSeen()) {
            pair.showAttacker();
        }
        final Measured before = measure();
        final AttackedPair.Progress start = pair.progress();
        pair.listen(options.beforeMs());
        final AttackedPair.Progress attacked = pair.progress();
        pair.listening(false);
        final DrillLine said = pair.attack(DrillLine.of(
                "attack",
                "label", kind.label(),
                "seed", seed,
                "ms", options.attackMs(),
                "rate", options.floodBytesPerSecond(),
                "app", pair.port(),
                "bond", BOND_PORT));
        final AttackedPair.Progress end = pair.progress();
        pair.listening(true);
        final long endNs = System.nanoTime();
        Measured after = measure();
        if (before == null || said == null || after == null) {
            return broken(kind, said, attacked.since(start), end.since(attacked));
        }
        final long grown = after.growth(before);
        while (after != null
                && after.growth(before) > AttackVerdict.BACK_BYTES
                && System.nanoTime() - endNs < BACK_WITHIN_MS * 1_000_000) {
            pair.listen(LOOK_AGAIN_MS);
            after = measure();
        }
        final long backMs = (System.nanoTime() - endNs) / 1_000_000;
        final boolean isExact = pair.isExact();
        final Measured last = measure();
        if (after == null || last == null) {
            return broken(kind, said, attacked.since(start), end.since(attacked));
        }
        return new AttackVerdict(
                kind,
                said.number("sent"),
                said.number("bytes") * 1e3 / said.number("ns"),
                pair.broken(),
                isExact,
                last.count(FAILOVERS) - before.count(FAILOVERS),
                attacked.since(start),
                end.since(attacked),
                grown,
                after.growth(before),
                backMs,
                counted(kind, before, last));
    }

    private static Map<String, Long> counted(final AttackKind kind, final Measured before, final Measured after) {
        final Map<String, Long> counted = new LinkedHashMap<>();
        for (final String name : kind.counters()) {
            final long more = after.count(name) - before.count(name);
            if (more > 0) {
                counted.put(name, more);
            }
        }
        return counted;
    }

    private AttackVerdict broken(
            final AttackKind kind,
            final @Nullable DrillLine said,
            final double beforeMBs,
            final double duringMBs) {
        return new AttackVerdict(
                kind,
                said == null ? -1 : said.number("sent"),
                said == null ? 0 : said.number("bytes") * 1e3 / said.number("ns"),
                pair.broken() + pair.noise(),
                false,
                0,
                beforeMBs,
                duringMBs,
                0,
                0,
                0,
                Map.of());
    }
}
