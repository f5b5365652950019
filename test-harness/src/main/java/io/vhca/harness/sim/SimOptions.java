package io.vhca.harness.sim;

import io.vhca.harness.sim.defect.Mutation;
import io.vhca.harness.sim.fault.FaultKind;
import io.vhca.harness.sim.fault.kind.FaultTable;
import java.util.ArrayList;
import java.util.List;

/**
 * What a run is asked for besides its seed.
 *
 * @param isSoftOnly a single soft RNIC a side, without the bond
 * @param mutation   how the bond is broken on purpose
 * @param faults     the table that faults are drawn from
 * @param longestSeconds of a processor's time that a scenario may take: one that takes longer is bad
 */
public record SimOptions(boolean isSoftOnly, Mutation mutation, List<FaultKind> faults, long longestSeconds) {
    /** A scenario takes some milliseconds. */
    public static final long LONGEST_SECONDS = 60;

    /** Everything, bond included. */
    public static final SimOptions FULL = new SimOptions(false, Mutation.NONE, FaultTable.ALL, LONGEST_SECONDS);

    /** The soft RNIC alone. */
    public static final SimOptions SOFT = new SimOptions(true, Mutation.NONE, FaultTable.ALL, LONGEST_SECONDS);

    public SimOptions with(final Mutation broken) {
        return new SimOptions(isSoftOnly, broken, faults, longestSeconds);
    }

    public SimOptions withLongest(final long seconds) {
        return new SimOptions(isSoftOnly, mutation, faults, seconds);
    }

    /** With one more row in the table of faults. */
    public SimOptions with(final FaultKind row) {
        final List<FaultKind> table = new ArrayList<>(faults);
        table.add(row);
        return new SimOptions(isSoftOnly, mutation, List.copyOf(table), longestSeconds);
    }
}
