package io.vhca.bond.config;

import io.vhca.api.ByteOrderMark;
import io.vhca.api.Errno;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The text of a configuration, and where it is from. Any thread.
 *
 * @param label the file, or the name of what holds the text
 */
public record BondConfigSource(String label, String text) {
    /** Far more than any configuration has; a file of this size is something else. */
    private static final int MOST_BYTES = 1 << 20;

    /** The reason where the process has no file descriptor left. */
    public static final String NO_DESCRIPTOR =
            "the bond configuration cannot be read" + Errno.descriptorHint(Errno.EMFILE);

    /** What everybody may read. */
    private static final Path NOTHING = Path.of("/dev/null");

    /** A key with a value, a section, or a bond's name with a colon: no path is taken for one by accident. */
    private static final Pattern OPTIONS = Pattern.compile("=|^\\s*\\[|\\n|:(\\s|$)");

    /**
     * What a setting of the process has: a configuration, or the path of a file that has it. A file that is there is
     * read, whatever its name looks like.
     *
     * @param label the setting's name
     * @return nothing where the setting is blank
     * @throws FileSystemException as {@link #read} does
     */
    public static Optional<BondConfigSource> of(final String setting, final String label) throws FileSystemException {
        if (setting.isBlank()) {
            return Optional.empty();
        }
        return Optional.of(
                OPTIONS.matcher(setting).find() && !Files.exists(Path.of(setting))
                        ? new BondConfigSource(label, setting)
                        : read(Path.of(setting)));
    }

    /**
     * What a file has.
     *
     * @throws FileSystemException with the file and, as its reason, one sentence: it is not there, this user may not
     *     read it, it is a directory, it is no text, or {@link #NO_DESCRIPTOR}
     */
    public static BondConfigSource read(final Path file) throws FileSystemException {
        final String name = file.toString();
        if (Files.isDirectory(file)) {
            throw new FileSystemException(name, null, "it is a directory; name the file that has the configuration");
        }
        final byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(MOST_BYTES + 1);
        } catch (final IOException e) {
            throw because(name, e, !canOpenAny());
        }
        if (bytes.length > MOST_BYTES) {
            throw new FileSystemException(
                    name, null, "it has more than " + MOST_BYTES + " bytes, which no bond configuration has");
        }
        return new BondConfigSource(name, text(name, bytes));
    }

    private static String text(final String name, final byte[] bytes) throws FileSystemException {
        try {
            final String text =
                    StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            if (text.indexOf('\0') < 0) {
                return ByteOrderMark.strip(text);
            }
        } catch (final CharacterCodingException e) {
            // Said below, as of a text with zeros.
        }
        throw new FileSystemException(name, null, "it is no text; a bond configuration is one, in UTF-8");
    }

    /**
     * The same failure, with a reason for people.
     *
     * @param isOutOfDescriptors the reason that the JDK gives then is in the language of the host
     */
    static FileSystemException because(final String name, final IOException e, final boolean isOutOfDescriptors) {
        if (e instanceof NoSuchFileException) {
            return new NoSuchFileException(
                    name, null, "there is no such file; a configuration in place of one is bond0: members=soft0,soft1");
        }
        if (e instanceof AccessDeniedException) {
            return new AccessDeniedException(name, null, "this user may not read it");
        }
        final String reason = e instanceof FileSystemException known ? known.getReason() : e.getMessage();
        return new FileSystemException(
                name, null,
                isOutOfDescriptors ? NO_DESCRIPTOR : "the bond configuration cannot be read: " + reason);
    }

    /** False where this process, or this host, has no descriptor left. */
    private static boolean canOpenAny() {
        try {
            Files.newInputStream(NOTHING).close();
            return true;
        } catch (final NoSuchFileException | AccessDeniedException e) {
            return true; // a host without devices
        } catch (final IOException e) {
            return false;
        }
    }
}
