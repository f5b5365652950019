package io.vhca.harness.sim.scenario;

import io.vhca.harness.sim.core.Draws;
import io.vhca.harness.sim.core.Side;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Something that a scenario has or has not. A row says how often it is drawn, and the shrinker takes away what a
 * violation does not need.
 */
public enum Trait {
    /** Each pair of members has a network of its own, with no way from one to another. */
    SEPARATE_NETWORKS("separate networks", 25, true),
    /** One CQ for all of a side's QPs; else one each for sends and receives of every QP. */
    ONE_CQ("one CQ a side", 50, false),
    /** Applications poll only when a completion channel wakes them. */
    EVENTS("woken by events", 25, false),
    /** Every message is a solicited one, and receivers with CQs of their own let nothing else wake them. */
    SOLICITED("solicited", 50, false),
    /** Memory is registered anew while the peer addresses it. */
    KEY_CHANGES("keys change", 33, false),
    /** Queue pairs are moved to SQD and back under traffic. */
    SEND_PAUSES("sends pause", 25, true),
    /** Queue pairs are brought up by modifyQp alone, and by RESET for each life. */
    OUT_OF_BAND("connected out of band", 25, true),
    /** Devices never raise QP_LAST_WQE_REACHED. */
    NO_LAST_WQE_EVENT("no QP_LAST_WQE_REACHED", 25, false),
    /** Devices take what is posted to a queue pair in ERR, and do not flush it. */
    POSTS_IN_ERR_FORGOTTEN("posts in ERR forgotten", 50, false),
    /** Both bonds have the same key; drawn from a stream of its own. */
    AUTH_KEY("a key", 50, true),
    /** The left bond speaks version 1 of the records, until its process is started anew; from the same stream. */
    OLD_LEFT("the left bond is of version 1", 25, true),
    /** The same of the right one. */
    OLD_RIGHT("the right bond is of version 1", 25, true),
    /** Where there are no bonds: the left host opens one over its RNIC, to which the right one is a plain peer. */
    PLAIN_RIGHT("the left RNIC is under a bond", 40, false),
    /** The other way round. */
    PLAIN_LEFT("the right RNIC is under a bond", 40, false),
    /** One operation is posted with a mistake of its application's, under traffic both ways; from the same stream. */
    OWN_MISTAKE("an application errs", 25, false),
    /** Who sends repeats a request few times for a receiver that is not ready, which is always; from that stream. */
    FEW_RNR_RETRIES("few RNR retries", 40, false),
    /** Applications end connections under traffic; from the same stream. */
    EARLY_END("connections end under traffic", 33, true);

    private static final Set<Trait> OF_OTHER_STREAM = EnumSet.of(
            AUTH_KEY, OLD_LEFT, OLD_RIGHT, PLAIN_LEFT, PLAIN_RIGHT, OWN_MISTAKE, FEW_RNR_RETRIES, EARLY_END);
    private static final Set<Trait> OF_SOFT = EnumSet.of(PLAIN_LEFT, PLAIN_RIGHT);

    private final String label;
    private final int percent;
    private final boolean isBondOnly;

    Trait(final String label, final int percent, final boolean isBondOnly) {
        this.label = label;
        this.percent = percent;
        this.isBondOnly = isBondOnly;
    }

    static Set<Trait> draw(final SplittableRandom random, final SplittableRandom ofKey, final boolean isBond) {
        final Set<Trait> drawn = EnumSet.noneOf(Trait.class);
        for (final Trait trait : values()) {
            final SplittableRandom from = OF_OTHER_STREAM.contains(trait) ? ofKey : random;
            if (Draws.percent(from, trait.percent) && (isBond || !trait.isBondOnly)) {
                drawn.add(trait);
            }
        }
        if (isBond || drawn.containsAll(OF_SOFT)) {
            drawn.removeAll(OF_SOFT); // two bonds are no plain peers of each other
        }
        return Collections.unmodifiableSet(drawn);
    }

    /** Whether it is of scenarios with one RNIC a side. */
    boolean isOfSoft() {
        return OF_SOFT.contains(this);
    }

    /** That the bond of a side speaks version 1. */
    public static Trait oldBond(final Side side) {
        return side == Side.LEFT ? OLD_LEFT : OLD_RIGHT;
    }

    /** That the host of a side opens a bond, and the other one none. */
    public static Trait loneBond(final Side side) {
        return side == Side.LEFT ? PLAIN_RIGHT : PLAIN_LEFT;
    }

    @Override
    public String toString() {
        return label;
    }
}
