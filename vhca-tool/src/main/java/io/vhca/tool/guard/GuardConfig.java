package io.vhca.tool.guard;

import io.vhca.api.ByteOrderMark;
import io.vhca.api.FileOwner;
import io.vhca.api.OpenedFile;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What the guard may do: a file of {@code key = value} lines, {@code #} begins a comment.
 *
 * @param programs    names of the programs that may be ended, as the kernel has them: 15 bytes at most
 * @param graceMs     how long a process may keep a device that is being removed, ms
 * @param killAfterMs how long it has after SIGTERM, ms
 * @param isDryRun    nobody is ended, it is said who would be
 */
public record GuardConfig(Set<String> programs, long graceMs, long killAfterMs, boolean isDryRun) {
    private static final String END = "end";
    private static final String GRACE = "grace_ms";
    private static final String KILL_AFTER = "kill_after_ms";
    private static final String DRY_RUN = "dry_run";
    private static final List<String> KEYS = List.of(END, GRACE, KILL_AFTER, DRY_RUN);
    private static final String DEFAULT_GRACE = "10000";
    private static final String DEFAULT_KILL_AFTER = "5000";
    /** TASK_COMM_LEN of the kernel without its NUL. */
    private static final int LONGEST_NAME = 15;
    /** What stands for bytes that are no letter. */
    private static final char REPLACEMENT = '\uFFFD';
    private static final long LONGEST_MS = 3_600_000;
    private static final long ROOT = 0;

    /**
     * Reads it.
     *
     * @param user the number of the user whose processes this one may end
     * @throws IllegalArgumentException with what is wrong and what to do; a file that others may write to, too
     * @throws IOException              where it cannot be read
     */
    public static GuardConfig read(final Path file, final long user) throws IOException {
        check(file, file, user, LinkOption.NOFOLLOW_LINKS); // what a link is, or a device, is said of its name
        try (OpenedFile opened = OpenedFile.open(file)) {
            return read(file, opened, user);
        }
    }

    /** The same of a file that is open: it is what is judged and read, whatever has that name now. */
    static GuardConfig read(final Path file, final OpenedFile opened, final long user) throws IOException {
        check(file, opened.path(), user);
        final Properties lines = lines(file, opened.path());
        for (final String key : lines.stringPropertyNames()) {
            if (!KEYS.contains(key)) {
                throw new IllegalArgumentException(
                        file + ": there is no " + key + "; keys are " + String.join(", ", KEYS));
            }
        }
        return new GuardConfig(
                programs(file, lines.getProperty(END, "")),
                ms(file, GRACE, lines.getProperty(GRACE, DEFAULT_GRACE)),
                ms(file, KILL_AFTER, lines.getProperty(KILL_AFTER, DEFAULT_KILL_AFTER)),
                dryRun(file, lines.getProperty(DRY_RUN, "true")));
    }

    /** Judges whose the file is that a path leads to. */
    private static void check(final Path file, final Path at, final long user, final LinkOption... links)
            throws IOException {
        final PosixFileAttributes attributes = Files.readAttributes(at, PosixFileAttributes.class, links);
        if (!attributes.isRegularFile()) {
            throw new IllegalArgumentException(
                    file + " is no file but a directory, a link or a device; name the file itself");
        }
        final long owner = FileOwner.number(at, links);
        if (owner != user && owner != ROOT) {
            throw new IllegalArgumentException(
                    file + " belongs to user " + owner + " and is to be a file of "
                            + (user == ROOT ? "root" : "user " + user + " or root") + ": it says who is ended");
        }
        final Set<PosixFilePermission> permissions = attributes.permissions();
        if (permissions.contains(PosixFilePermission.OTHERS_WRITE)
                || permissions.contains(PosixFilePermission.GROUP_WRITE)) {
            throw new IllegalArgumentException(
                    file + " can be written by others, and says who is ended: `chmod go-w " + file + "`");
        }
    }

    private static Properties lines(final Path file, final Path at) throws IOException {
        final Properties lines = new Properties();
        try {
            lines.load(new StringReader(ByteOrderMark.strip(Files.readString(at))));
            return lines;
        } catch (final CharacterCodingException e) {
            throw new IllegalArgumentException(file + " is no text in UTF-8", e);
        } catch (final IllegalArgumentException e) {
            throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
        }
    }

    private static Set<String> programs(final Path file, final String list) {
        final Set<String> programs = Arrays.stream(list.split(","))
                .map(String::strip)
                .filter(name -> !name.isEmpty())
                .collect(Collectors.toCollection(TreeSet::new));
        for (final String name : programs) {
            final byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
            // What is no letter is shown as one of three bytes, and may be one.
            final long replaced = name.chars().filter(letter -> letter == REPLACEMENT).count();
            if (bytes.length - 2 * replaced > LONGEST_NAME) {
                throw new IllegalArgumentException(
                        file + ": " + END + " = " + name + " matches no process; the kernel knows "
                                + new String(bytes, 0, LONGEST_NAME, StandardCharsets.UTF_8) + " only, "
                                + LONGEST_NAME + " bytes");
            }
        }
        return programs;
    }

    private static long ms(final Path file, final String key, final String text) {
        try {
            final long value = Long.parseLong(text.strip());
            if (value >= 0 && value <= LONGEST_MS) {
                return value;
            }
        } catch (final NumberFormatException e) {
            // Said below.
        }
        throw new IllegalArgumentException(
                file + ": " + key + " = " + text + " is no time in ms from 0 to " + LONGEST_MS);
    }

    private static boolean dryRun(final Path file, final String text) {
        return switch (text.strip()) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException(
                    file + ": " + DRY_RUN + " = " + text + " is not true or false");
        };
    }
}
