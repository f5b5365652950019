package io.vhca.tool.cli;

import io.vhca.api.FailureText;
import io.vhca.api.UntrustedFileException;
import io.vhca.bond.trace.TraceComponent;
import io.vhca.bond.trace.TraceLevel;
import io.vhca.bond.trace.TraceObject;
import io.vhca.physical.soft.capture.Capture;
import io.vhca.physical.soft.capture.PcapngWriter;
import io.vhca.ras.file.WholeTransfer;
import io.vhca.ras.trace.TraceContent;
import io.vhca.ras.trace.TraceFiles;
import io.vhca.ras.trace.TraceFilter;
import io.vhca.ras.trace.TraceReader;
import io.vhca.ras.trace.TraceRecord;
import io.vhca.ras.trace.TraceText;
import io.vhca.tool.console.EnvironmentException;
import io.vhca.tool.console.FailureHandler;
import io.vhca.tool.status.BondOrders;
import io.vhca.tool.status.UnreadableFiles;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code vhca trace}: what bonds did, step by step. */
@Command(
        name = "trace",
        mixinStandardHelpOptions = true,
        description = {
            "Shows what bonds did, step by step, while they run and after a crash.",
            "",
            "Every bond keeps the last 2048 records of each of its threads in a file. Queue pairs,",
            "completion queues, regions, members and recoveries are traced unless they are set to off;",
            "requests (post) and completions (poll) at level detail.",
            ""
        },
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Exit codes: 0 done, 1 the bond refuses, 3 there is no such trace or bond, or the trace is damaged.",
            "",
            "Example: every request of one queue pair, and what recoveries do",
            "  vhca trace set bond0 qp:0x12=detail recovery=event",
            "  vhca trace follow bond0 --object qp:0x12"
        })
public final class TraceCommand {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final long LOOK_EVERY_MS = 200;
    private static final String BOND = "the bond's name: bond0";

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    /** Which trace. */
    static final class Source {
        @Parameters(arity = "0..1", paramLabel = "BOND", defaultValue = "", description = "only bonds of this name")
        private String bond = "";

        @Option(names = "--pid", paramLabel = "PID", description = "of the application, where several have left traces")
        private long pid;

        @Option(names = "--file", paramLabel = "FILE", description = "a trace that was saved, instead of the bonds'")
        private @Nullable Path file;

        private Path path() {
            return file != null ? file : found().getLast();
        }

        /** One that is written to, where there is one. */
        private Path livingPath() {
            if (file != null) {
                return file;
            }
            final List<Path> found = found();
            return found.reversed().stream()
                    .filter(each -> !TraceFiles.isLeft(each))
                    .findFirst()
                    .orElse(found.getLast());
        }

        /** The one that was written last comes last. */
        private List<Path> found() {
            try {
                final List<Path> found = TraceFiles.find(bond, pid);
                if (found.isEmpty()) {
                    throw new EnvironmentException("there is no trace" + (bond.isEmpty() ? "" : " of " + bond)
                            + "; start the application as this user, or name its directory by VHCA_STATUS_DIR");
                }
                return found;
            } catch (final UntrustedFileException e) {
                throw new EnvironmentException("no trace is shown: " + e.getMessage() + " by VHCA_STATUS_DIR", e);
            } catch (final IOException e) {
                throw new EnvironmentException("traces cannot be listed: " + FailureText.of(e), e);
            }
        }
    }

    /** Which records. */
    static final class Choice {
        @Option(
                names = {"-c", "--component"},
                paramLabel = "NAME",
                split = ",",
                description = "only these: ${COMPLETION-CANDIDATES}")
        private Set<TraceComponent> components = Set.of();

        @Option(
                names = {"-o", "--object"},
                paramLabel = "OBJECT",
                split = ",",
                description = "only these: qp:0x12, cq:1, mr:0x3")
        private List<String> objects = List.of();

        @Option(names = "--thread", paramLabel = "ID", split = ",", description = "only these threads, by their ids")
        private Set<Integer> threads = Set.of();

        @Option(
                names = {"-l", "--level"},
                paramLabel = "LEVEL",
                defaultValue = "detail",
                description = "that and all before it: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})")
        private TraceLevel level = TraceLevel.DETAIL;

        private TraceFilter filter(final CommandSpec spec) {
            try {
                return new TraceFilter(
                        components,
                        objects.stream().map(TraceObject::parse).collect(Collectors.toSet()),
                        threads,
                        level);
            } catch (final IllegalArgumentException e) {
                throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
            }
        }
    }

    @Command(
            name = "set",
            mixinStandardHelpOptions = true,
            description = {
                "Changes how much a bond traces.",
                "",
                "Levels are off, error, event and detail, of components and single objects; others stay as they are. A"
                        + " level alone is that of every component."
            },
            footer = {"", "Example: vhca trace set bond0 post=detail poll=detail"})
    int set(
            @Parameters(paramLabel = "BOND", description = BOND) final String bond,
            @Parameters(
                            paramLabel = "WHAT=LEVEL",
                            arity = "1..*",
                            description = "recovery=detail, or qp:0x12=detail, or off")
                    final List<String> words,
            @Option(names = "--pid", paramLabel = "PID", description = "of the application") final @Nullable Long pid) {
        final String refusal = BondOrders.tell(
                BondOrders.find(
                        bond, pid == null ? 0 : pid, new UnreadableFiles(spec.commandLine().getErr())),
                "set trace=+" + String.join(",", words).toLowerCase(Locale.ROOT),
                PATIENCE);
        if (!refusal.isEmpty()) {
            spec.commandLine().getErr().println(spec.qualifiedName() + ": " + refusal);
            return FailureHandler.BAD;
        }
        return 0;
    }

    @Command(
            name = "show",
            mixinStandardHelpOptions = true,
            description = "Prints the trace of a bond, the one that was written last where there are several, by time.")
    int show(
            @Mixin final Source source,
            @Mixin final Choice choice,
            @Option(
                            names = {"-n", "--last"},
                            paramLabel = "COUNT",
                            description = "only so many, the last ones")
                    final @Nullable Integer last) {
        final TraceContent content = read(source.path());
        final PrintWriter out = spec.commandLine().getOut();
        final List<TraceRecord> shown = choice.filter(spec).of(content.records());
        final TraceText text = new TraceText(content, ZoneId.systemDefault());
        out.println(content.bond() + " of process " + content.pid() + ": " + shown.size() + " records"
                + (content.lost() == 0 ? "" : ", " + content.lost() + " before them were overwritten"));
        shown.stream()
                .skip(last == null ? 0 : Math.max(0, shown.size() - Math.max(0, last)))
                .forEach(record -> out.println(text.line(record)));
        out.flush();
        return 0;
    }

    @Command(
            name = "follow",
            mixinStandardHelpOptions = true,
            description = {
                "Prints what a bond traces from now on, until it is closed or its process has ended.",
                "",
                "It ends where nobody reads any more, too. Of several bonds it follows one whose process runs."
            })
    int follow(@Mixin final Source source, @Mixin final Choice choice) throws InterruptedException {
        final Path path = source.livingPath();
        final TraceFilter filter = choice.filter(spec);
        final TraceNews news = new TraceNews();
        // Whoever closes the bond deletes the file, and who is killed leaves it: what was written until then is read.
        try (FileChannel file = TraceReader.open(path)) {
            final Object key = key(path);
            news.take(TraceReader.read(file, path));
            boolean isThere = true;
            while (isThere) {
                isThere = key != null && key.equals(key(path)) && !TraceFiles.isLeft(path);
                print(TraceReader.read(file, path), news, filter);
                isThere &= !spec.commandLine().getOut().checkError();
                if (isThere) {
                    Thread.sleep(LOOK_EVERY_MS);
                }
            }
        } catch (final IOException e) {
            throw new EnvironmentException(FailureText.of(e), e);
        }
        return 0;
    }

    /** Tells a file from another one of its name; null where there is none. */
    private static @Nullable Object key(final Path path) throws IOException {
        try {
            return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                    .fileKey();
        } catch (final NoSuchFileException e) {
            return null;
        }
    }

    private void print(final TraceContent content, final TraceNews news, final TraceFilter filter) {
        final PrintWriter out = spec.commandLine().getOut();
        final TraceText text = new TraceText(content, ZoneId.systemDefault());
        final TraceNews.Part part = news.take(content);
        if (part.missed() > 0) {
            out.println(part.missed() + " records were overwritten before they could be shown");
        }
        filter.of(part.records()).forEach(record -> out.println(text.line(record)));
    }

    @Command(
            name = "save",
            mixinStandardHelpOptions = true,
            description = "Copies the trace of a bond into a file that only this user may read; show --file prints it.")
    int save(
            @Mixin final Source source,
            @Option(names = "--to", required = true, paramLabel = "FILE", description = "a file that is not there yet")
                    final Path target) {
        final Path path = source.path();
        read(path);
        create(target, file -> WholeTransfer.write(file, TraceReader.bytes(path)));
        return 0;
    }

    @Command(
            name = "packets",
            mixinStandardHelpOptions = true,
            description = {
                "Writes the last packets of a soft device as pcapng.",
                "",
                "Wireshark and tshark open that. The device has them where VHCA_SOFT gives it a directory:"
                        + " soft0=10.1.0.1;capture=DIRECTORY. The file there is NAME.PID.capture; it can be read while"
                        + " the device runs, and when its process is dead."
            },
            footer = {"", "Example: vhca trace packets soft0.4711.capture --pcapng soft0.pcapng"})
    int packets(
            @Parameters(paramLabel = "CAPTURE", description = "the device's file") final Path file,
            @Option(
                            names = "--pcapng",
                            required = true,
                            paramLabel = "FILE",
                            description = "a file that is not there yet; only this user may read it")
                    final Path target) {
        final Capture capture;
        try {
            capture = Capture.read(file);
        } catch (final NoSuchFileException e) {
            throw new EnvironmentException("there is no file " + file, e);
        } catch (final IOException e) {
            throw new EnvironmentException(FailureText.of(e), e);
        }
        create(target, to -> PcapngWriter.write(capture, to));
        spec.commandLine().getOut().println(capture.device() + " of process " + capture.pid() + ": "
                + capture.packets().size() + " packets");
        return 0;
    }

    /** Writes into a file. */
    interface Content {
        void write(FileChannel to) throws IOException;
    }

    static void create(final Path target, final Content content) {
        try (FileChannel file = FileChannel.open(
                target,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            writeAll(target, file, content);
        } catch (final FileAlreadyExistsException e) {
            throw new EnvironmentException(target + " is there already; name another file", e);
        } catch (final IOException e) {
            throw new EnvironmentException(target + " was not written: " + FailureText.of(e), e);
        }
    }

    /** All of it or nothing: what was begun and cannot be ended is deleted. */
    private static void writeAll(final Path target, final FileChannel file, final Content content) throws IOException {
        try {
            content.write(file);
        } catch (final IOException e) {
            Files.deleteIfExists(target);
            throw e;
        }
    }

    private static TraceContent read(final Path path) {
        try {
            return TraceReader.read(path);
        } catch (final IOException e) {
            throw new EnvironmentException(FailureText.of(e), e);
        }
    }
}
