package io.vhca.tool.cli;

import io.vhca.ras.snapshot.BondDump;
import io.vhca.ras.snapshot.ReportFiles;
import io.vhca.tool.console.EnvironmentException;
import io.vhca.tool.console.FailureHandler;
import io.vhca.tool.status.BondOrders;
import io.vhca.tool.status.BondStatuses;
import io.vhca.tool.status.UnreadableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code vhca dump}: all that a running bond is, in one file. */
@Command(
        name = "dump",
        mixinStandardHelpOptions = true,
        description = {
            "Writes down all that a running bond is, while it goes on.",
            "",
            "Options, counters, members, every queue pair in software and in hardware, failovers and the",
            "trace; no data of the application. vhca decode prints the file.",
            ""
        },
        footer = {
            "",
            "Exit codes: 0 written, 1 the bond could not write it, 3 there is no such bond or the file cannot be.",
            "",
            "Example: vhca dump bond0 --to bond0.dump"
        })
public final class DumpCommand implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Parameters(paramLabel = "BOND", description = "the bond's name: bond0")
    private String name = "";

    @Option(
            names = "--to",
            required = true,
            paramLabel = "FILE",
            description = "a file that is not there yet, or a directory")
    private Path target = Path.of(".");

    @Option(names = "--pid", paramLabel = "PID", description = "of the application, where several have it open")
    private long pid;

    @Override
    public Integer call() {
        final BondStatuses.Found bond =
                BondOrders.find(name, pid, new UnreadableFiles(spec.commandLine().getErr()));
        final String refusal = BondOrders.tell(bond, "dump", PATIENCE);
        if (!refusal.isEmpty()) {
            spec.commandLine().getErr().println(spec.qualifiedName() + ": " + refusal);
            return FailureHandler.BAD;
        }
        final Path own = BondDump.name(name, bond.status().pid());
        final Path written = bond.file().resolveSibling(own);
        final Path file = Files.isDirectory(target) ? target.resolve(own) : target;
        try {
            copy(written, file);
        } catch (final FileAlreadyExistsException e) {
            throw new EnvironmentException(file + " is there already; name another file", e);
        } catch (final IOException e) {
            throw new EnvironmentException(file + " was not written (" + e + "); the dump is " + written, e);
        }
        spec.commandLine().getOut().println(file);
        return 0;
    }

    private static void copy(final Path written, final Path file) throws IOException {
        final byte[] text = ReportFiles.read(written).text().getBytes(StandardCharsets.UTF_8);
        try (FileChannel channel = FileChannel.open(
                file,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            final ByteBuffer bytes = ByteBuffer.wrap(text);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        }
        Files.deleteIfExists(written);
    }
}
