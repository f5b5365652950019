package io.vhca.tool.cli;

import io.vhca.api.FailureText;
import io.vhca.ras.dump.BondDump;
import io.vhca.ras.dump.DumpFile;
import io.vhca.ras.dump.DumpSender;
import io.vhca.tool.console.EnvironmentException;
import io.vhca.tool.console.FailureHandler;
import io.vhca.tool.console.ListenAddress;
import io.vhca.tool.status.BondOrders;
import io.vhca.tool.status.BondStatuses;
import io.vhca.tool.status.ReportTurn;
import io.vhca.tool.status.UnreadableFiles;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code vhca dump}: all that a running bond is, in one file. */
@Command(
        name = "dump",
        mixinStandardHelpOptions = true,
        subcommands = DumpReceiveCommand.class,
        description = {
            "Writes down all that a running bond is, while it goes on.",
            "",
            "Versions, options, counters, members, objects, every queue pair in software and in hardware,",
            "failovers, snapshots, the trace, and the native memory of all queues as it is at one moment: for",
            "some milliseconds nobody posts, polls or recovers, and the dump says how long that was. It has no",
            "data of the application unless that is asked for. vhca decode prints the file.",
            ""
        },
        footer = {
            "",
            "Exit codes: 0 written, 1 the bond could not write it, 2 wrong usage, 3 there is no such bond, or the",
            "target cannot be written or reached: the dump is then where the last line says. Also 3 while another",
            "vhca dump of the bond is under way.",
            "",
            "Examples:",
            "  vhca dump bond0 --to bond0.dump",
            "  vhca dump bond0 --to tcp://10.1.0.9:7000    where vhca dump receive listens"
        })
public final class DumpCommand implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** A receiver gives each its two minutes, the one before this too. */
    private static final Duration SEND_PATIENCE = Duration.ofMinutes(5);
    private static final String TCP = "tcp://";

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Parameters(arity = "0..1", paramLabel = "BOND", description = "the bond's name: bond0")
    private String name = "";

    @Option(
            names = "--to",
            paramLabel = "FILE|DIR|tcp://HOST:PORT",
            description = "a file that is not there yet, a directory, or where vhca dump receive listens")
    private String target = "";

    @Option(
            names = "--payload",
            description = "with data of the application: what lies in queues, and buffers of what is not done")
    private boolean hasPayload;

    @Option(names = "--pid", paramLabel = "PID", description = "of the application, where several have it open")
    private long pid;

    @Override
    public Integer call() {
        if (name.isEmpty() || target.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(), "name a bond and where its dump goes: vhca dump bond0 --to FILE");
        }
        final InetSocketAddress remote = target.startsWith(TCP) ? remote() : null;
        final BondStatuses.Found bond =
                BondOrders.find(name, pid, new UnreadableFiles(spec.commandLine().getErr()));
        return ReportTurn.DUMP.run(bond, () -> dump(bond, remote));
    }

    private int dump(final BondStatuses.Found bond, final @Nullable InetSocketAddress remote) {
        final Path own = BondDump.name(name, bond.status().pid());
        final Path written = bond.file().resolveSibling(BondDump.askedName(name, bond.status().pid()));
        final Path file = remote == null ? free(own) : written;
        final String refusal = BondOrders.tell(bond, hasPayload ? "dump payload" : "dump", PATIENCE);
        if (!refusal.isEmpty()) {
            spec.commandLine().getErr().println(spec.qualifiedName() + ": " + refusal);
            return FailureHandler.BAD;
        }
        spec.commandLine().getOut().println(handOn(written, own, file, remote));
        return 0;
    }

    /** From one that somebody else has asked for it differs by data of the application, which nobody is to get so. */
    private String handOn(
            final Path written, final Path own, final Path file, final @Nullable InetSocketAddress remote) {
        try (DumpFile dump = DumpFile.open(written)) {
            if (!BondDump.isWritten(dump.report(), hasPayload)) {
                Files.deleteIfExists(written);
                throw new EnvironmentException("a dump of " + name + " that was asked for before has taken the place of"
                        + " this one; try again");
            }
            return remote == null ? copy(dump, written, file) : send(dump, written, own, remote);
        } catch (final IOException e) {
            throw new EnvironmentException("the dump " + written + " cannot be read: " + FailureText.of(e), e);
        }
    }

    private InetSocketAddress remote() {
        try {
            return new ListenAddress().convert(target.substring(TCP.length()));
        } catch (final TypeConversionException e) {
            throw new ParameterException(spec.commandLine(), "--to " + target + ": " + e.getMessage(), e);
        }
    }

    private static String send(
            final DumpFile dump, final Path written, final Path own, final InetSocketAddress remote) {
        try {
            final String where = DumpSender.send(dump, own.toString(), remote, SEND_PATIENCE);
            Files.deleteIfExists(written);
            return where;
        } catch (final IOException e) {
            throw new EnvironmentException(
                    remote + " did not take the dump (" + FailureText.of(e) + "); the dump is " + written, e);
        }
    }

    /** Where the copy goes. It is refused before there is a dump, which would stay where nobody looks for it. */
    private Path free(final Path own) {
        final Path path = Path.of(target);
        final Path file = Files.isDirectory(path) ? path.resolve(own) : path;
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            throw new EnvironmentException(file + " is there already; name another file");
        }
        final Path parent = file.toAbsolutePath().getParent();
        if (parent != null && !Files.isDirectory(parent)) {
            throw new EnvironmentException(parent + " is no directory; make it, or name another file");
        }
        return file;
    }

    private static String copy(final DumpFile dump, final Path written, final Path file) {
        try {
            copyFile(dump, file);
            Files.deleteIfExists(written);
            return file.toString();
        } catch (final FileAlreadyExistsException e) {
            throw new EnvironmentException(file + " is there already; the dump is " + written, e);
        } catch (final IOException e) {
            throw new EnvironmentException(
                    file + " was not written (" + FailureText.of(e) + "); the dump is " + written, e);
        }
    }

    /** All of it or nothing: what was begun and cannot be ended is deleted. */
    private static void copyFile(final DumpFile dump, final Path file) throws IOException {
        try (FileChannel to = FileChannel.open(
                file,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            try {
                dump.copyTo(to);
            } catch (final IOException e) {
                Files.deleteIfExists(file);
                throw e;
            }
        }
    }
}
