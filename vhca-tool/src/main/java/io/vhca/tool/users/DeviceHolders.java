package io.vhca.tool.users;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotLinkException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The processes that have a device of libibverbs open, whatever program they run: by the files that they have open.
 *
 * @param processes by their numbers
 * @param unseen    processes that this user may not look into
 */
public record DeviceHolders(List<Process> processes, int unseen) {
    private static final Path VERBS = Path.of("class", "infiniband_verbs");
    private static final String NODES = "/dev/infiniband/";

    /**
     * A process.
     *
     * @param program   its name, as the kernel has it
     * @param openFiles how often it has the device open
     * @param sinceMs   when it was started, ms since 1970
     */
    public record Process(long pid, String program, int openFiles, long sinceMs) {}

    /**
     * Looks for them.
     *
     * @param proc where the kernel shows processes, {@code /proc}
     * @param sys  where it shows devices, {@code /sys}
     * @throws IOException where that cannot be read at all
     */
    public static DeviceHolders find(final Path proc, final Path sys, final String device) throws IOException {
        final Set<String> nodes = nodes(sys.resolve(VERBS), device);
        final List<Process> found = new ArrayList<>();
        int unseen = 0;
        try (DirectoryStream<Path> all = Files.newDirectoryStream(proc, "[0-9]*")) {
            for (final Path process : all) {
                try {
                    final int open = nodes.isEmpty() ? 0 : open(process.resolve("fd"), nodes);
                    if (open > 0) {
                        found.add(new Process(
                                Long.parseLong(name(process)),
                                Files.readString(process.resolve("comm")).strip(),
                                open,
                                Files.getLastModifiedTime(process).toMillis()));
                    }
                } catch (final AccessDeniedException e) {
                    unseen++;
                } catch (final IOException | NumberFormatException e) {
                    // It ended meanwhile, or is no process.
                    continue;
                }
            }
        }
        found.sort(Comparator.comparingLong(Process::pid));
        return new DeviceHolders(List.copyOf(found), unseen);
    }

    private static String name(final Path path) {
        return String.valueOf(path.getFileName());
    }

    /** The device's character devices; none where the kernel does not know it. */
    private static Set<String> nodes(final Path classes, final String device) throws IOException {
        final Set<String> nodes = new HashSet<>();
        if (Files.isDirectory(classes)) {
            try (DirectoryStream<Path> all = Files.newDirectoryStream(classes, "uverbs*")) {
                for (final Path one : all) {
                    if (Files.readString(one.resolve("ibdev")).strip().equals(device)) {
                        nodes.add(NODES + name(one));
                    }
                }
            }
        }
        return nodes;
    }

    private static int open(final Path files, final Set<String> nodes) throws IOException {
        int open = 0;
        try (DirectoryStream<Path> all = Files.newDirectoryStream(files)) {
            for (final Path file : all) {
                try {
                    open += nodes.contains(Files.readSymbolicLink(file).toString()) ? 1 : 0;
                } catch (final NoSuchFileException | NotLinkException e) {
                    // It was closed meanwhile.
                    continue;
                }
            }
        }
        return open;
    }
}
