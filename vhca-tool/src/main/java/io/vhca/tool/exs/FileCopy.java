package io.vhca.tool.exs;

import io.vhca.ras.file.ShownText;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
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
        if (name.length > PartFile.MOST_NAME) {
            throw new IOException(
                    "a name of " + name.length + " bytes; at most " + PartFile.MOST_NAME + " can be received");
        }
        try (FileChannel in = FileChannel.open(file, StandardOpenOption.READ)) {
            final long length = in.size();
            write(channel, ByteBuffer.allocate(Integer.BYTES + name.length + Long.BYTES)
                    .putInt(name.length)
                    .put(name)
                    .putLong(length)
                    .flip());
            final ByteBuffer has = read(channel, Long.BYTES + SHA_BYTES);
            final long there = has.getLong();
            final MessageDigest sha = digest();
            final boolean isBeginning = there >= 0
                    && there <= length
                    && ByteBuffer.wrap(digest(file, in, there, sha)).equals(has);
            final long from = isBeginning ? there : 0;
            if (!isBeginning) {
                sha.reset();
            }
            write(channel, ByteBuffer.allocate(Long.BYTES).putLong(from).flip());
            final ByteBuffer piece = ByteBuffer.allocateDirect(PIECE);
            for (long at = from; at < length; ) {
                next(file, in, piece, at, length);
                sha.update(piece.duplicate());
                at += piece.remaining();
                write(channel, piece);
                progress.at(at, length);
            }
            final byte[] all = sha.digest();
            write(channel, ByteBuffer.wrap(all));
            if (read(channel, 1).get() != 1) {
                throw new IOException("what arrived of " + file + " is not what was sent; copy it again");
            }
            return new Sent(length, from, HexFormat.of().formatHex(all));
        }
    }

    /**
     * Receives a file into a directory; what it is, in a sentence.
     *
     * @param missing gets its name, and loses it once all of the file is there
     */
    static String receive(final ByteChannel channel, final Path directory, final Set<String> missing)
            throws IOException {
        final int nameLength = read(channel, Integer.BYTES).getInt();
        if (nameLength < 1 || nameLength > PartFile.MOST_NAME) {
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
        try (PartFile part = PartFile.open(directory, name)) {
            final long there = Math.min(part.channel().size(), Math.max(0, length));
            final MessageDigest sha = digest();
            write(channel, ByteBuffer.allocate(Long.BYTES + SHA_BYTES)
                    .putLong(there)
                    .put(digest(part.path(), part.channel(), there, sha))
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
                part.publish(name);
                missing.remove(name);
            } else {
                part.delete();
            }
            write(channel, ByteBuffer.wrap(new byte[] {(byte) (isRight ? 1 : 0)}));
            if (!isRight) {
                throw new IOException(name + " has another SHA-256 than its sender says");
            }
            return name + ", " + length + " bytes, " + (length - from) + " of them now";
        }
    }

    private static void take(
            final ByteChannel channel, final PartFile part, final long from, final long length,
            final MessageDigest sha)
            throws IOException {
        part.channel().truncate(from);
        final ByteBuffer piece = ByteBuffer.allocateDirect(PIECE);
        for (long at = from; at < length; ) {
            piece.clear().limit((int) Math.min(PIECE, length - at));
            if (channel.read(piece) < 0) {
                throw new IOException("the sender is gone after " + at + " of " + length + " bytes");
            }
            piece.flip();
            sha.update(piece.duplicate());
            final int taken = piece.remaining();
            put(part.path(), part.channel(), piece, at);
            at += taken;
        }
    }

    /** Writes all of a piece at that place. A file system that takes no more does not say of which file. */
    static void put(final Path file, final FileChannel out, final ByteBuffer piece, final long at)
            throws IOException {
        try {
            long next = at;
            while (piece.hasRemaining()) {
                next += out.write(piece, next);
            }
        } catch (final IOException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }

    /** The SHA-256 of the first bytes of a file; goes on in {@code sha} with what follows. */
    private static byte[] digest(
            final Path file, final FileChannel in, final long length, final MessageDigest sha) throws IOException {
        try {
            final ByteBuffer piece = ByteBuffer.allocateDirect(PIECE);
            for (long at = 0; at < length; at += piece.limit()) {
                next(file, in, piece, at, length);
                sha.update(piece);
            }
            return ((MessageDigest) sha.clone()).digest();
        } catch (final CloneNotSupportedException e) {
            throw new IllegalStateException("SHA-256 goes on from where it is", e);
        }
    }

    /** What is in a file at a place, some of it up to an end. */
    private static void next(
            final Path file, final FileChannel in, final ByteBuffer piece, final long at, final long end)
            throws IOException {
        piece.clear().limit((int) Math.min(PIECE, end - at));
        if (in.read(piece, at) < 0) {
            throw new IOException(file + " became shorter while it was read");
        }
        piece.flip();
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
