package io.vhca.harness.cli;

import io.vhca.ras.status.BondStatus;
import io.vhca.ras.status.StatusDirectory;
import io.vhca.ras.status.StatusReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Where bonds of a test publish their status, and the tool looks for it: a directory of the test's own. */
public final class StatusFiles implements BeforeEachCallback, AfterEachCallback {
    private Path directory = Path.of("unset");

    @Override
    public void beforeEach(final ExtensionContext context) throws IOException {
        directory = Files.createTempDirectory("vhca-status");
        System.setProperty(StatusDirectory.PROPERTY, directory.toString());
    }

    @Override
    public void afterEach(final ExtensionContext context) throws IOException {
        System.clearProperty(StatusDirectory.PROPERTY);
        try (Stream<Path> files = Files.walk(directory)) {
            for (final Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    public Path directory() {
        return directory;
    }

    /** What the only file shows once it shows what is waited for; the test's own time limit ends a wait in vain. */
    public BondStatus await(final Predicate<BondStatus> what) throws IOException {
        while (true) {
            final List<Path> files = StatusDirectory.files(directory);
            if (!files.isEmpty()) {
                final BondStatus status = StatusReader.read(files.getFirst());
                if (what.test(status)) {
                    return status;
                }
            }
            Thread.yield();
        }
    }

    /** What the file of one of several bonds shows. */
    public BondStatus of(final String bond) throws IOException {
        for (final Path file : StatusDirectory.files(directory)) {
            if (file.getFileName().toString().startsWith(bond + ".")) {
                return StatusReader.read(file);
            }
        }
        throw new AssertionError("no status of " + bond);
    }
}
