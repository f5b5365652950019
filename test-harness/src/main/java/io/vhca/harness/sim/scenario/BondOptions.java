package io.vhca.harness.sim.scenario;

import io.vhca.bond.config.BondConfig;
import io.vhca.bond.config.BondConfigParser;
import io.vhca.harness.sim.core.Side;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The configuration of one side's bond, as an operator would write it. Options that are not given have their defaults.
 * Members, ack timeout and retry count follow from the scenario and are not among them.
 *
 * <p>Immutable. Not compared with each other.
 */
public final class BondOptions {
    private static final String BOND = "bond0";

    private final Side side;
    private final int members;
    private final Transport transport;
    private final Map<String, String> values;
    private final BondConfig config;

    /**
     * @param values keys and values of a configuration file
     * @throws io.vhca.bond.BondConfigException where a bond would not take them
     */
    public BondOptions(
            final Side side, final int members, final Transport transport, final Map<String, String> values) {
        this.side = side;
        this.members = members;
        this.transport = transport;
        this.values = new LinkedHashMap<>(values);
        config = config(Map.of());
    }

    /** What a member's device is called. */
    public static String memberName(final Side side, final int member) {
        return side.label() + member;
    }

    /** Which options are given. */
    public Set<String> keys() {
        return Set.copyOf(values.keySet());
    }

    /** The same with one option at its default. */
    public BondOptions without(final String key) {
        final Map<String, String> others = new LinkedHashMap<>(values);
        others.remove(key);
        return new BondOptions(side, members, transport, others);
    }

    /** The same with that option. */
    public BondOptions with(final String key, final String value) {
        final Map<String, String> others = new LinkedHashMap<>(values);
        others.put(key, value);
        return new BondOptions(side, members, transport, others);
    }

    /** As the bond reads it, without its addresses. */
    public BondConfig config() {
        return config;
    }

    /** As the bond reads it, with entries that follow from where it runs. */
    public BondConfig config(final Map<String, String> more) {
        final Map<String, String> all = new LinkedHashMap<>();
        final List<String> names = new ArrayList<>(members);
        for (int member = 0; member < members; member++) {
            names.add(memberName(side, member));
        }
        all.put("members", String.join(",", names));
        all.put("ack_timeout", Integer.toString(transport.ackTimeout()));
        all.put("retry_cnt", Integer.toString(transport.retryCnt()));
        all.putAll(values);
        all.putAll(more);
        return BondConfigParser.parse(BOND + ": " + text(all), side.label()).getFirst();
    }

    private static String text(final Map<String, String> entries) {
        return entries.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .collect(Collectors.joining(" "));
    }

    @Override
    public String toString() {
        return values.isEmpty() ? "defaults" : text(values);
    }
}
