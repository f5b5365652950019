package io.vhca.tool.status;

import io.vhca.ras.status.BondStatus;
import io.vhca.ras.status.ControlClient;
import io.vhca.tool.console.EnvironmentException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** Finds the one bond that an operator means, and tells it what to do. */
public final class BondOrders {
    private BondOrders() {}

    /**
     * The bond of that name that a running process has open.
     *
     * @param pid     of the process, 0 for any
     * @param problem told of each file that cannot be read
     * @throws EnvironmentException where there is none, or more than one, with what to do
     */
    public static BondStatuses.Found find(final String bond, final long pid, final Consumer<String> problem) {
        final List<BondStatuses.Found> candidates = BondStatuses.find(bond, problem).stream()
                .filter(BondStatuses.Found::isAlive)
                .filter(found -> pid == 0 || found.status().pid() == pid)
                .toList();
        if (candidates.size() != 1) {
            throw new EnvironmentException(
                    candidates.isEmpty()
                            ? "no running process has " + bond + " open"
                            : "several processes have " + bond + " open: name one by --pid, of "
                                    + candidates.stream()
                                            .map(BondStatuses.Found::status)
                                            .map(BondStatus::pid)
                                            .toList());
        }
        return candidates.getFirst();
    }

    /**
     * Tells a bond one line; why it refuses, or an empty text.
     *
     * @throws EnvironmentException where it does not answer in time
     */
    public static String tell(final BondStatuses.Found bond, final String command, final Duration patience) {
        try {
            return ControlClient.tell(bond.file(), command, patience);
        } catch (final IOException e) {
            throw new EnvironmentException(
                    bond.status().name() + " of process " + bond.status().pid() + " cannot be told: "
                            + e.getMessage(),
                    e);
        }
    }
}
