package io.vhca.bond.config;

import io.vhca.api.ByteOrderMark;
import io.vhca.api.FileOwner;
import io.vhca.api.OpenedFile;
import io.vhca.api.ProcessUser;
import io.vhca.recovery.proof.AuthKey;
import io.vhca.recovery.proof.KeyRing;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * The file of the option {@code auth_key_file}: the keys that bonds have in common, the newest first. Whoever can read
 * it can speak in the name of every bond that has it, so it must be its owner's alone. Any thread.
 *
 * <pre>
 *   key = 64 hexadecimal digits            # the newest: it signs
 *   key = 64 hexadecimal digits            # the one before it, as long as there are bonds that have no newer one
 *   key.10.1.0.2 = 64 hexadecimal digits   # of one peer, by each of its addresses
 * </pre>
 */
public final class AuthKeyFile {
    private static final String KEY = "key";
    private static final String PEER_PREFIX = KEY + ".";
    private static final String HEADER = "# Keys of vHCA bonds, the newest first. Who reads this file can pass for any"
            + " bond that has it.\n";
    private static final int MOST_BYTES = 1 << 16;
    private static final Set<PosixFilePermission> OF_OTHERS = EnumSet.complementOf(EnumSet.of(
            PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE, PosixFilePermission.OWNER_EXECUTE));
    private static final String MODE = "rw-------";

    private AuthKeyFile() {}

    /**
     * The keys in a file.
     *
     * @throws FileSystemException with the file and, as its reason, one sentence
     */
    public static KeyRing read(final Path file) throws FileSystemException {
        return parse(file, lines(file));
    }

    /**
     * Writes a new file with a new key.
     *
     * @throws FileSystemException with the file and, as its reason, one sentence; a file that is there stays
     */
    public static void create(final Path file, final RandomGenerator random) throws FileSystemException {
        final Path fresh = fresh(file, random);
        try {
            write(fresh, HEADER + line(random));
            publish(fresh, file);
        } catch (final FileAlreadyExistsException e) {
            throw refused(file, "it is there already; `vhca bond key rotate` puts a new key into it");
        } catch (final IOException e) {
            throw because(file, e, "written");
        } finally {
            delete(fresh);
        }
    }

    /** Gives what is whole its name, where no file has it. */
    private static void publish(final Path fresh, final Path file) throws IOException {
        try {
            Files.createLink(file, fresh);
        } catch (final FileAlreadyExistsException e) {
            throw e;
        } catch (final FileSystemException | UnsupportedOperationException e) {
            // That file system has no links; a move looks by itself whether the name is taken.
            Files.move(fresh, file);
        }
    }

    /**
     * Puts a new key for all peers before the one that there is, and drops those before it. The file is exchanged for
     * another one at once; who reads it meanwhile reads the one or the other.
     *
     * @throws FileSystemException with the file and, as its reason, one sentence; nothing has changed then
     */
    public static void rotate(final Path file, final RandomGenerator random) throws FileSystemException {
        final List<String> lines = lines(file);
        parse(file, lines);
        final StringBuilder text = new StringBuilder(HEADER).append(line(random));
        boolean isFirst = true;
        for (final String line : lines) {
            final String key = keyOf(line);
            if (!key.isEmpty() && (!key.equals(KEY) || isFirst)) {
                text.append(line.strip()).append('\n');
                isFirst &= !key.equals(KEY);
            }
        }
        final Path fresh = fresh(file, random);
        try {
            write(fresh, text.toString());
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (final IOException e) {
            delete(fresh);
            throw because(file, e, "written");
        }
    }

    /** Beside the file, what is to become it. */
    private static Path fresh(final Path file, final RandomGenerator random) {
        return file.resolveSibling(file.getFileName() + ".new" + Long.toHexString(random.nextLong()));
    }

    private static void delete(final Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (final IOException e) {
            // What could not be written cannot be deleted either: the first failure is said.
        }
    }

    private static String line(final RandomGenerator random) {
        final byte[] key = new byte[AuthKey.SIZE];
        random.nextBytes(key);
        return KEY + " = " + HexFormat.of().formatHex(key) + "\n";
    }

    private static void write(final Path file, final String text) throws IOException {
        try (FileChannel channel = FileChannel.open(
                file,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(MODE)))) {
            final ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
    }

    // ---- reading ----------------------------------------------------------------------------------------------------

    private static List<String> lines(final Path file) throws FileSystemException {
        try {
            check(file, file, LinkOption.NOFOLLOW_LINKS); // what a link is, or a device, is said of its name
            try (OpenedFile opened = OpenedFile.open(file)) {
                return lines(file, opened);
            }
        } catch (final IOException e) {
            throw because(file, e, "read");
        }
    }

    /** What was opened is judged and read, whatever has that name now. */
    static List<String> lines(final Path file, final OpenedFile opened) throws IOException {
        check(file, opened.path());
        final ByteBuffer bytes = ByteBuffer.allocate(MOST_BYTES + 1);
        try (FileChannel channel = FileChannel.open(opened.path(), StandardOpenOption.READ)) {
            while (bytes.hasRemaining() && channel.read(bytes) >= 0) {
                // As much as there is.
            }
        }
        if (!bytes.hasRemaining()) {
            throw refused(file, "it has more than " + MOST_BYTES + " bytes, which no key file has");
        }
        return ByteOrderMark.strip(new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8))
                .lines()
                .toList();
    }

    /** Judges whose the file is that a path leads to. */
    private static void check(final Path file, final Path at, final LinkOption... links) throws IOException {
        final PosixFileAttributes seen = Files.readAttributes(at, PosixFileAttributes.class, links);
        if (seen.isSymbolicLink()) {
            throw refused(file, "it is a symbolic link; name the file itself");
        }
        if (!seen.isRegularFile()) {
            throw refused(file, "it is no file; name one, or make one with `vhca bond key new`");
        }
        final long user = ProcessUser.number();
        final long owner = FileOwner.number(at, links);
        if (owner != user) {
            throw refused(file, "it belongs to user " + owner + " and not to user " + user
                    + ", who runs this; `chown " + user + "` it");
        }
        if (seen.permissions().stream().anyMatch(OF_OTHERS::contains)) {
            throw refused(file, "other users may read or write it (" + PosixFilePermissions.toString(seen.permissions())
                    + "); `chmod 600` it, and take a new key if somebody has read it");
        }
    }

    private static KeyRing parse(final Path file, final List<String> lines) throws FileSystemException {
        final List<AuthKey> forAll = new ArrayList<>();
        final Map<InetAddress, List<AuthKey>> forPeers = new HashMap<>();
        for (int i = 0; i < lines.size(); i++) {
            final String line = lines.get(i);
            final String key = keyOf(line);
            final String where = "line " + (i + 1) + " ";
            if (key.equals(KEY)) {
                forAll.add(secret(file, where, line));
            } else if (key.startsWith(PEER_PREFIX)) {
                forPeers.computeIfAbsent(peer(file, where, key), unused -> new ArrayList<>())
                        .add(secret(file, where, line));
            } else if (!key.isEmpty()) {
                throw refused(file, where + "is neither \"key = ...\" nor \"key.ADDRESS = ...\"");
            }
        }
        if (forAll.isEmpty()) {
            throw refused(file, "there is no line \"key = ...\" in it, for peers that have no key of their own; make"
                    + " another file with `vhca bond key new`");
        }
        try {
            return new KeyRing(forAll, forPeers);
        } catch (final IllegalArgumentException e) {
            throw refused(file, "it has " + e.getMessage() + "; delete the oldest lines");
        }
    }

    /** What stands before the equals sign; empty for a comment and an empty line. */
    private static String keyOf(final String line) {
        final int comment = line.indexOf('#');
        final String said = (comment < 0 ? line : line.substring(0, comment)).strip();
        final int equals = said.indexOf('=');
        return equals < 0 ? said : said.substring(0, equals).strip();
    }

    private static InetAddress peer(final Path file, final String where, final String key) throws FileSystemException {
        try {
            return InetAddress.ofLiteral(key.substring(PEER_PREFIX.length()));
        } catch (final IllegalArgumentException e) {
            throw refused(file, where + "names no IP address behind \"" + PEER_PREFIX + "\"");
        }
    }

    /** The value is never shown: a message may go to a log. */
    private static AuthKey secret(final Path file, final String where, final String line) throws FileSystemException {
        final int comment = line.indexOf('#');
        final String said = comment < 0 ? line : line.substring(0, comment);
        final String digits = said.substring(said.indexOf('=') + 1).strip().toLowerCase(Locale.ROOT);
        try {
            final byte[] bytes = HexFormat.of().parseHex(digits);
            if (bytes.length == AuthKey.SIZE) {
                return new AuthKey(bytes);
            }
        } catch (final IllegalArgumentException e) {
            // Said below.
        }
        throw refused(file, where + "has no key of " + 2 * AuthKey.SIZE + " hexadecimal digits");
    }

    private static FileSystemException refused(final Path file, final String why) {
        return new FileSystemException(file.toString(), null, why);
    }

    /** The same failure, with a reason for people. */
    private static FileSystemException because(final Path file, final IOException e, final String done) {
        return switch (e) {
            case NoSuchFileException _ ->
                refused(file, "there is no such file or directory; `vhca bond key new` makes a key file");
            case AccessDeniedException _ -> refused(file, "this user may not have it " + done);
            case FileSystemException known when known.getReason() != null -> refused(file, known.getReason());
            default -> refused(file, "it cannot be " + done + ": " + e.getMessage());
        };
    }
}
