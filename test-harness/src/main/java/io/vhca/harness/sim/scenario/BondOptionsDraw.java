package io.vhca.harness.sim.scenario;

import io.vhca.bond.config.AtomicsMode;
import io.vhca.bond.config.BondMode;
import io.vhca.bond.config.ConfirmMode;
import io.vhca.bond.config.ServiceMode;
import io.vhca.bond.config.LedgerMode;
import io.vhca.bond.config.ServiceMode.Standby;
import io.vhca.bond.config.XmitHashPolicy;
import io.vhca.harness.sim.core.Draws;
import io.vhca.harness.sim.core.PerSide;
import io.vhca.harness.sim.core.Side;
import io.vhca.recovery.WriteReplay;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Function;

/** Draws the configuration of both bonds of a scenario: a row an option. */
final class BondOptionsDraw {
    private static final String MODE = "mode";
    private static final String ATOMICS = "atomics";
    private static final String DEFAULT = "";

    /** What the bonds of both sides must agree on. */
    private static final List<Row> SHARED = List.of(
            new Row("recovery_timeout", dice -> dice.ms(1_000, 4_000)),
            new Row("ledger", dice -> dice.any(List.of(LedgerMode.values())).text()),
            new Row("confirm", dice -> dice.percent(33, ConfirmMode.PEER.text())),
            new Row("write_replay", dice -> dice.percent(10, WriteReplay.FAIL.text())),
            new Row(ATOMICS, dice -> dice.percent(12, AtomicsMode.NATIVE.text())));

    /** What each bond has for itself. */
    private static final List<Row> OWN = List.of(
            new Row(MODE, dice -> dice.percent(50, dice.any(List.of(BondMode.values())).text())),
            new Row("primary", dice -> dice.percent(33, dice.anyMember())),
            new Row("xmit_hash_policy", dice -> dice.any(List.of(XmitHashPolicy.values())).text()),
            new Row("updelay", dice -> dice.ms(0, 20)),
            new Row("downdelay", dice -> dice.percent(33, dice.ms(1, 20))),
            new Row("path_timeout", dice -> dice.ms(20, 210)),
            new Row("drain_timeout", dice -> dice.ms(1, 50)),
            new Row("miimon", dice -> dice.ms(1, 20)),
            new Row("heartbeat", dice -> dice.ms(20, 500)),
            new Row("watchdog", Dice::watchdog),
            new Row("detect", dice -> dice.percent(25, ServiceMode.Detect.HARDWARE.text())),
            new Row("detect_min", dice -> dice.ms(1, 20)),
            new Row("standby", dice -> dice.percent(50, Standby.COLD.text())),
            new Row("standby_max", dice -> dice.percent(20, dice.upTo(3))));

    private BondOptionsDraw() {}

    static PerSide<BondOptions> draw(
            final SplittableRandom random, final PerSide<Integer> members, final Transport transport) {
        final Map<String, String> shared = new LinkedHashMap<>();
        final Dice both = new Dice(random, Side.LEFT, members.left(), transport);
        SHARED.forEach(row -> row.draw(both, shared));
        return PerSide.each(side -> {
            final Map<String, String> values = new LinkedHashMap<>(shared);
            final Dice own = new Dice(random, side, members.of(side), transport);
            OWN.forEach(row -> row.draw(own, values));
            if (values.containsKey(ATOMICS)) {
                // Modes that spread queue pairs refuse atomics that each member does for itself.
                values.remove(MODE);
            }
            return new BondOptions(side, members.of(side), transport, values);
        });
    }

    /** An option, and how its value is drawn: {@link #DEFAULT} leaves it out. */
    private record Row(String key, Function<Dice, String> value) {
        void draw(final Dice dice, final Map<String, String> values) {
            final String drawn = value.apply(dice);
            if (!drawn.equals(DEFAULT)) {
                values.put(key, drawn);
            }
        }
    }

    /** What the options of one bond are drawn with. */
    private record Dice(SplittableRandom random, Side side, int members, Transport transport) {
        private static final long US_NS = 1_000;
        private static final long MS_US = 1_000;

        <T> T any(final List<T> values) {
            return values.get(random.nextInt(values.size()));
        }

        String anyMember() {
            return BondOptions.memberName(side, random.nextInt(members));
        }

        /** The value in so many cases of a hundred, else the default. */
        String percent(final int percent, final String value) {
            return Draws.percent(random, percent) ? value : DEFAULT;
        }

        String upTo(final int most) {
            return Integer.toString(random.nextInt(1, most + 1));
        }

        String ms(final int low, final int end) {
            final int ms = random.nextInt(low, end);
            return ms == 0 ? "0" : ms + "ms";
        }

        /** Twice the retry budget, as it must be more than that, and up to a fifth of a second. */
        String watchdog() {
            return 2 * transport.retryBudgetNs() / US_NS + random.nextInt(1, 200) * MS_US + "us";
        }
    }
}
