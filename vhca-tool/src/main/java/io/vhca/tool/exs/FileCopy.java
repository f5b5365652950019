package io.vhca.tool.exs;

import io.vhca.ras.file.ShownText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Set;

/**
 * A file over a channel. What is sent, big-endian:
 *
 * <pre>
 *   sender:    name length (4), name, file length (8)
 *   receiver:                                          bytes it has (8), their SHA-256 (32)
 *   sender:    where it begins (8): there, or at 0; the data; SHA-256 of the whole file (32)
 *   receiver:                                          1: it is right, 0: it is not (1)
 * </pre>
 */
final class FileCopy {
    private static final int PIECE = 1 << 20;
    private static final int SHA_BYTES = 32;
    private static final String PART = ".part";
    /** Bytes of a name that leave room, in the 255 that file systems have, for what is added while it arrives. */
    private static final int MOST_NAME = 255 - PART.length();

    /** Told of each piece. */
    @FunctionalInterface
    interface Progress {
        void at(long done, long all);
    }

    /** What was sent: of how many bytes those from {@code from} on. */
    record Sent(long bytes, long from, String sha256) {}

    private FileCopy() {}

    static Sent send(final ByteChannel channel, final Path file, final Progress progress) throws IOException {
        final byte[] name = String.valueOf(file.getFileName()).getBytes(StandardCharsets.UTF_8);
        if (name.length > MOST_NAME) {
            throw new IOException("a name of " + name.length + " bytes; at most " + MOST_NAME + " can be received");
        }
        final long length = Files.size(file);
        write(channel, ByteBuffer.allocate(Integer.BYTES + name.length + Long.BYTES)
                .putInt(name.length)
                .put(name)
                .putLong(length)
                .flip());
        final ByteBuffer has = read(channel, Long.BYTES + SHA_BYTES);
        final long there = has.getLong();
        final MessageDigest sha = digest();
        final boolean isBeginning =
                there >= 0 && there <= length && ByteBuffer.wrap(digest(file, there, sha)).equals(has);
        final long from = isBeginning ? there : 0;
        if (!isBeginning) {
            sha.reset();
        }
        write(channel, ByteBuffer.allocate(Long.BYTES).putLong(from).flip());
        try (FileChannel in = FileChannel.open(file, StandardOpenOption.READ)) {
            final ByteBuffer piece = ByteBuffer.allocateDirect(PIECE);
            for (long at = from; at < length; ) {
                piece.clear().limit((int) Math.min(PIECE, length - at));
                if (in.read(piece, at) < 0) {
                    throw new IOException(file + " became shorter while it was sent");
                }
                piece.flip();
                sha.update(piece.duplicate());
                at += piece.remaining();
                write(channel, piece);
                progress.at(at, length);
            }
        }
        final byte[] all = sha.digest();
        write(channel, ByteBuffer.wrap(all));
        if (read(channel, 1).get() != 1) {
            throw new IOException("what arrived of " + file + " is not what was sent; copy it again");
        }
        return new Sent(length, from, HexFormat.of().formatHex(all));
    }

    /**
     * Receives a file into a directory; what it is, in a sentence.
     *
     * @param missing gets its name, and loses it once all of the file is there
     */
    static String receive(final ByteChannel channel, final Path directory, final Set<String> missing)
            throws IOException {
        final int nameLength = read(channel, Integer.BYTES).getInt();
        if (nameLength < 1 || nameLength > MOST_NAME) {
            throw new IOException("a name of " + nameLength + " bytes");
        }
        final byte[] nameBytes = new byte[nameLength];
        read(channel, nameLength).get(nameBytes);
        final String name = new String(nameBytes, StandardCharsets.UTF_8);
        // A control character would command the terminal that the name is printed on.
        if (name.contains("/")
                || name.contains("\\")
                || name.chars().anyMatch(Character::isISOControl)
                || name.startsWith(".")) {
            throw new IOException("a file is not taken under the name " + ShownText.line(name));
        }
        missing.add(name);
        final long length = read(channel, Long.BYTES).getLong();
        final Path part = part(directory, name);
        final long there = Files.exists(part) ? Math.min(Files.size(part), Math.max(0, length)) : 0;
        final MessageDigest sha = digest();
        write(channel, ByteBuffer.allocate(Long.BYTES + SHA_BYTES)
                .putLong(there)
                .put(there == 0 ? digest().digest() : digest(part, there, sha, LinkOption.NOFOLLOW_LINKS))
                .flip());
        final long from = read(channel, Long.BYTES).getLong();
        if (from != there && from != 0 || length < 0) {
            throw new IOException("a copy from " + from + " on, of " + length + " bytes; there are " + there);
        }
        if (from == 0) {
            sha.reset();
        }
        take(channel, part, from, length, sha);
        final byte[] sent = new byte[SHA_BYTES];
        read(channel, SHA_BYTES).get(sent);
        final boolean isRight = MessageDigest.isEqual(sent, sha.digest());
        if (isRight) {
            Files.move(part, directory.resolve(name), StandardCopyOption.REPLACE_EXISTING);
            missing.remove(name);
        } else {
            Files.deleteIfExists(part);
        }
        write(channel, ByteBuffer.wrap(new byte[] {(byte) (isRight ? 1 : 0)}));
        if (!isRight) {
            throw new IOException(name + " has another SHA-256 than its sender says");
        }
        return name + ", " + length + " bytes, " + (length - from) + " of them now";
    }

    /**
     * What arrives by now. Whoever else may write into the directory does not say by a link which file is overwritten.
     */
    private static Path part(final Path directory, final String name) throws IOException {
        try {
            final Path part = directory.resolve(name + PART);
            if (Files.exists(part, LinkOption.NOFOLLOW_LINKS)
                    && !Files.isRegularFile(part, LinkOption.NOFOLLOW_LINKS)) {
                throw new IOException(part + " is in the way and no regular file: delete it and copy " + name
                        + " again");
            }
            return part;
        } catch (final InvalidPathException e) {
            // Some file systems have no such names, as one whose locale has no such letters.
            throw new IOException("a file is not taken under the name " + name + ": " + e.getReason(), e);
        }
    }

    private static void take(
            final ByteChannel channel, final Path part, final long from, final long length, final MessageDigest sha)
            throws IOException {
        try (FileChannel out = FileChannel.open(
                part, StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
            out.truncate(from);
            final ByteBuffer piece = ByteBuffer.allocateDirect(PIECE);
            for (long at = from; at < length; ) {
                piece.clear().limit((int) Math.min(PIECE, length - at));
                if (channel.read(piece) < 0) {
                    throw new IOException("the sender is gone after " + at + " of " + length + " bytes");
                }
                piece.flip();
                sha.update(piece.duplicate());
                for (; piece.hasRemaining(); at += out.write(piece, at)) {
                    // as much as the file system takes
                }
            }
        }
    }

    /** The SHA-256 of the first bytes of a file; goes on in {@code sha} with what follows. */
    private static byte[] digest(
            final Path file, final long length, final MessageDigest sha, final OpenOption... how) throws IOException {
        try (InputStream in = Files.newInputStream(file, how)) {
            final byte[] piece = new byte[PIECE];
            for (long left = length; left > 0; ) {
                final int got = in.read(piece, 0, (int) Math.min(piece.length, left));
                if (got < 0) {
                    throw new IOException(file + " became shorter while it was read");
                }
                sha.update(piece, 0, got);
                left -= got;
            }
            return ((MessageDigest) sha.clone()).digest();
        } catch (final CloneNotSupportedException e) {
            throw new IllegalStateException("SHA-256 goes on from where it is", e);
        }
    }

    private static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (final NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private static void write(final ByteChannel channel, final ByteBuffer from) throws IOException {
        while (from.hasRemaining()) {
            channel.write(from);
        }
    }

    private static ByteBuffer read(final ByteChannel channel, final int length) throws IOException {
        final ByteBuffer into = ByteBuffer.allocate(length);
        while (into.hasRemaining()) {
            if (channel.read(into) < 0) {
                throw new IOException("the other end is gone");
            }
        }
        return into.flip();
    }
}
