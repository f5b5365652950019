package io.vhca.tool.status;

import io.vhca.api.FailureText;
import io.vhca.ras.trace.TraceFiles;
import io.vhca.tool.console.EnvironmentException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.function.IntSupplier;

/**
 * Commands that have a bond write a file of one name, read it and delete it. Each is run once at a time for a bond: of
 * two, one would take away what the other one has asked for. They do not wait for each other's kind.
 */
public enum ReportTurn {
    /** Of two dumps, one would give the other's away, with data of the application that it did not ask for. */
    DUMP,
    MEMORY,
    THREADS;

    /**
     * Runs a job while no other process runs one of the same kind for that bond; its exit code.
     *
     * @throws EnvironmentException where another one does
     */
    public int run(final BondStatuses.Found bond, final IntSupplier job) {
        final Path file = file(bond);
        try (FileChannel locked = FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
            if (!isAlone(locked)) {
                throw new EnvironmentException("another vhca " + name().toLowerCase(Locale.ROOT) + " of "
                        + bond.status().name() + " is under way; try again when it is done");
            }
            return job.getAsInt();
        } catch (final IOException e) {
            throw new EnvironmentException(file + " cannot be locked: " + FailureText.of(e), e);
        }
    }

    /**
     * Not one of its own, which would stay: the bond's trace, which is its owner's alone. A status file may be the
     * group's to read, and who may read a file may lock it against its owner; it stands in where nothing is traced.
     * Jobs open neither: the close would end the lock.
     */
    private static Path file(final BondStatuses.Found bond) {
        final Path trace = bond.file().resolveSibling(TraceFiles.of(bond.status().name(), bond.status().pid()));
        return Files.isRegularFile(trace, LinkOption.NOFOLLOW_LINKS) ? trace : bond.file();
    }

    private boolean isAlone(final FileChannel locked) throws IOException {
        try {
            return locked.tryLock(ordinal(), 1, false) != null;
        } catch (final OverlappingFileLockException e) {
            return false;
        }
    }
}
