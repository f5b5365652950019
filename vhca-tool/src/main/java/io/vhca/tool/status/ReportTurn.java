package io.vhca.tool.status;

import io.vhca.api.FailureText;
import io.vhca.tool.console.EnvironmentException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.LinkOption;
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
        // Not by a file of its own, which would stay. Jobs do not open this one: its close would end the lock.
        try (FileChannel status = FileChannel.open(bond.file(), StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
            if (!isAlone(status)) {
                throw new EnvironmentException("another vhca " + name().toLowerCase(Locale.ROOT) + " of "
                        + bond.status().name() + " is under way; try again when it is done");
            }
            return job.getAsInt();
        } catch (final IOException e) {
            throw new EnvironmentException(bond.file() + " cannot be locked: " + FailureText.of(e), e);
        }
    }

    private boolean isAlone(final FileChannel status) throws IOException {
        try {
            return status.tryLock(ordinal(), 1, false) != null;
        } catch (final OverlappingFileLockException e) {
            return false;
        }
    }
}
