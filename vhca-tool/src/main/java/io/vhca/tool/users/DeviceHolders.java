package io.vhca.tool.users;

import io.vhca.ras.file.ShownText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotLinkException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * The processes that have a device of libibverbs open, whatever program they run: by the files that they have open.
 *
 * @param processes by their numbers
 * @param unseen    processes that this user may not look into
 */
public record DeviceHolders(List<Process> processes, int unseen) {
    private static final Path VERBS = Path.of("class", "infiniband_verbs");
    private static final String NODES = "/dev/infiniband/";
    private static final String UVERBS = NODES + "uverbs";
    /** What /proc puts behind the name of a file that is unlinked. */
    private static final String UNLINKED = " (deleted)";

    /**
     * A process.
     *
     * @param program its name, as the kernel has it, but for what is no text
     * @param nodes   the device's files that it has open, one for each time: {@code uverbs0}
     * @param sinceMs when it was started, ms since 1970
     */
    public record Process(long pid, String program, List<String> nodes, long sinceMs) {
        /** How often it has the device open. */
        public int openFiles() {
            return nodes.size();
        }
    }

    /**
     * Looks for those of one device.
     *
     * @param proc where the kernel shows processes, {@code /proc}
     * @param sys  where it shows devices, {@code /sys}
     * @throws IOException where that cannot be read at all
     */
    public static DeviceHolders find(final Path proc, final Path sys, final String device) throws IOException {
        final Map<String, String> devices = devices(sys);
        return scan(proc, file -> device.equals(devices.get(file)));
    }

    /**
     * Looks for those of devices that are being removed: the kernel has taken the device's file away, and waits until
     * the last process has closed it.
     *
     * @param proc where the kernel shows processes, {@code /proc}
     * @param sys  where it shows devices, {@code /sys}
     * @throws IOException where that cannot be read at all
     */
    public static DeviceHolders ofRemoved(final Path proc, final Path sys) throws IOException {
        final Map<String, String> devices = devices(sys);
        return scan(proc, file -> !devices.containsKey(file));
    }

    /**
     * The devices that are there, by the names of their files, {@code uverbs0}.
     *
     * @param sys where the kernel shows devices, {@code /sys}
     * @throws IOException where that cannot be read
     */
    public static Map<String, String> devices(final Path sys) throws IOException {
        final Map<String, String> devices = new TreeMap<>();
        final Path classes = sys.resolve(VERBS);
        if (Files.isDirectory(classes)) {
            try (DirectoryStream<Path> all = Files.newDirectoryStream(classes, "uverbs*")) {
                for (final Path one : all) {
                    final Path file = one.resolve("ibdev");
                    try {
                        devices.put(name(one), Files.readString(file).strip());
                    } catch (final NoSuchFileException e) {
                        // It was removed meanwhile.
                        continue;
                    } catch (final IOException e) {
                        // Removed behind its open it fails with ENODEV, which has no exception of its own. A device
                        // that is there is not to be left out: who has it open would be taken for one who keeps a
                        // removed one.
                        if (e instanceof AccessDeniedException || Files.exists(file)) {
                            throw e;
                        }
                    }
                }
            }
        }
        return devices;
    }

    /** @param which of the files of devices, by what /proc says of them behind their directory */
    private static DeviceHolders scan(final Path proc, final Predicate<String> which) throws IOException {
        final List<Process> found = new ArrayList<>();
        int unseen = 0;
        try (DirectoryStream<Path> all = Files.newDirectoryStream(proc, "[0-9]*")) {
            for (final Path process : all) {
                try {
                    final List<String> open = open(process.resolve("fd"), which);
                    if (!open.isEmpty()) {
                        found.add(new Process(
                                Long.parseLong(name(process)),
                                program(process.resolve("comm")),
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

    /** A process may give itself any bytes for a name: what is no UTF-8 is replaced, or nobody would see it. */
    private static String program(final Path comm) throws IOException {
        return ShownText.line(new String(Files.readAllBytes(comm), StandardCharsets.UTF_8).strip());
    }

    private static String name(final Path path) {
        return String.valueOf(path.getFileName());
    }

    private static List<String> open(final Path files, final Predicate<String> which) throws IOException {
        final List<String> open = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(files)) {
            for (final Path file : all) {
                try {
                    final String link = Files.readSymbolicLink(file).toString();
                    if (link.startsWith(UVERBS) && which.test(link.substring(NODES.length()))) {
                        open.add(link.substring(NODES.length()).replace(UNLINKED, ""));
                    }
                } catch (final NoSuchFileException | NotLinkException e) {
                    // It was closed meanwhile.
                    continue;
                }
            }
        }
        return List.copyOf(open);
    }
}
