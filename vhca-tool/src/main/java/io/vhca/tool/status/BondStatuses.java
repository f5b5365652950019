package io.vhca.tool.status;

import io.vhca.api.FailureText;
import io.vhca.api.UntrustedFileException;
import io.vhca.ras.health.BondHealth;
import io.vhca.ras.status.BondStatus;
import io.vhca.ras.status.SeenBond;
import io.vhca.ras.status.StatusDirectory;
import io.vhca.ras.status.StatusReader;
import io.vhca.tool.console.EnvironmentException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Finds the bonds of running processes by their status files. */
public final class BondStatuses {
    private BondStatuses() {}

    /**
     * A bond and where it is told of.
     *
     * @param file its status file
     */
    public record Found(Path file, SeenBond bond) {
        /** What its file says. */
        public BondStatus status() {
            return bond.status();
        }

        /** Whether its process lived when that was looked at. */
        public boolean isAlive() {
            return bond.isAlive();
        }
    }

    /**
     * Bonds in the status directory, those of living processes first, else in the order of their files.
     *
     * @param name    only those of that name; empty for all
     * @param problem told of each file that cannot be read: of another version, or of a process that died in its middle
     * @throws EnvironmentException when there is none, with what to do
     */
    public static List<Found> find(final String name, final Consumer<String> problem) {
        return find(name, problem, StatusDirectory::trustedFiles, StatusReader::read, System::currentTimeMillis);
    }

    static List<Found> find(
            final String name, final Consumer<String> problem, final Listing listing, final Reading reading,
            final LongSupplier clockMs) {
        final List<String> problems = new ArrayList<>();
        final List<Found> found = all(name, problems::add, listing, reading, clockMs);
        problems.forEach(problem);
        if (found.isEmpty()) {
            final String none = (name.isEmpty() ? "no bond" : "no bond " + name) + " is open";
            throw new EnvironmentException(
                    problems.isEmpty()
                            ? none + ": nothing in " + StatusDirectory.path()
                                    + "; start the application as this user, or name its directory by VHCA_STATUS_DIR"
                            : none + " that can be shown: not all in " + StatusDirectory.path() + " can be read;"
                                    + " a bond that is elsewhere is found by VHCA_STATUS_DIR");
        }
        return found;
    }

    /** The same, none where there is none. */
    public static List<Found> all(final String name, final Consumer<String> problem) {
        return all(name, problem, StatusDirectory::trustedFiles, StatusReader::read, System::currentTimeMillis);
    }

    /** Lists the status files. */
    interface Listing {
        List<Path> files() throws IOException;
    }

    /** Reads one of them. */
    interface Reading {
        BondStatus read(Path file) throws IOException;
    }

    static List<Found> all(
            final String name, final Consumer<String> problem, final Listing listing, final Reading reading,
            final LongSupplier clockMs) {
        final List<Path> files;
        try {
            files = listing.files();
        } catch (final UntrustedFileException e) {
            throw new EnvironmentException("no bond is shown: " + e.getMessage() + " by VHCA_STATUS_DIR", e);
        } catch (final IOException e) {
            throw new EnvironmentException(
                    "the status directory " + StatusDirectory.path() + " cannot be read (" + FailureText.of(e)
                            + "); run this as the user of the application, or name its directory by VHCA_STATUS_DIR",
                    e);
        }
        final List<Found> found = new ArrayList<>();
        for (final Path file : files) {
            try {
                final SeenBond bond = look(file, reading, clockMs);
                if (name.isEmpty() || bond.status().name().equals(name)) {
                    found.add(new Found(file, bond));
                }
            } catch (final NoSuchFileException e) {
                // Its bond was closed since the directory was listed.
                continue;
            } catch (final StatusReader.BeingWrittenException e) {
                problem.accept(String.valueOf(e.getMessage()));
            } catch (final IOException e) {
                problem.accept(e.getMessage() + "; delete it where its process has ended");
            }
        }
        final Map<Boolean, List<Found>> byLife =
                found.stream().collect(Collectors.partitioningBy(Found::isAlive));
        return Stream.of(true, false).map(byLife::get).flatMap(List::stream).toList();
    }

    /**
     * A bond that seems to be in trouble is read once more: whoever looks may have been stopped in between, while it
     * was closed in order or wrote again.
     */
    private static SeenBond look(final Path file, final Reading reading, final LongSupplier clockMs)
            throws IOException {
        final long nowMs = clockMs.getAsLong();
        final SeenBond bond = SeenBond.of(reading.read(file), nowMs);
        if (bond.isAlive() && !BondHealth.isSilent(bond.status(), nowMs)) {
            return bond;
        }
        final BondStatus again = reading.read(file);
        return new SeenBond(again, bond.isAlive() || again.isAlive(), nowMs);
    }
}
