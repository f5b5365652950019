package io.vhca.physical.soft.capture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The files of captures in a directory, {@code NAME.PID.capture}, or {@code NAME.PID-NUMBER.capture} of a process that
 * is gone and whose number this one has: in containers all have the same. Of those the last {@value #KEPT} of each
 * device are kept. Any thread.
 */
final class CaptureFiles {
    static final int KEPT = 4;

    private static final String SUFFIX = ".capture";
    /** Those that this process has made. */
    private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

    private CaptureFiles() {}

    private static String stem(final String device) {
        return device + "." + ProcessHandle.current().pid();
    }

    /** The one of a device of this process. */
    static Path of(final Path directory, final String device) {
        return directory.resolve(stem(device) + SUFFIX);
    }

    /** Nothing has that name then: what this process made goes, what an earlier one left gets another name. */
    static void makeRoom(final Path directory, final String device) throws IOException {
        final Path file = of(directory, device);
        if (!OWN.contains(file.toAbsolutePath()) && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            keepLeft(directory, device);
        } else {
            Files.deleteIfExists(file);
        }
        OWN.add(file.toAbsolutePath());
    }

    private static void keepLeft(final Path directory, final String device) throws IOException {
        final Pattern form = Pattern.compile(Pattern.quote(stem(device)) + "-([0-9]{1,18})\\" + SUFFIX);
        final List<Long> numbers = numbers(directory, form);
        for (final long number : numbers.subList(0, Math.max(0, numbers.size() - KEPT + 1))) {
            Files.deleteIfExists(left(directory, device, number));
        }
        final long last = numbers.isEmpty() ? 0 : numbers.getLast();
        try {
            Files.move(of(directory, device), left(directory, device, last + 1));
        } catch (final NoSuchFileException e) {
            // Another container's process, which has the same number, has kept it.
        }
    }

    private static Path left(final Path directory, final String device, final long number) {
        return directory.resolve(stem(device) + "-" + number + SUFFIX);
    }

    private static List<Long> numbers(final Path directory, final Pattern form) throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.map(file -> form.matcher(directory.relativize(file).toString()))
                    .filter(Matcher::matches)
                    .map(name -> Long.parseLong(name.group(1)))
                    .sorted()
                    .toList();
        } catch (final UncheckedIOException e) {
            throw e.getCause();
        }
    }
}
