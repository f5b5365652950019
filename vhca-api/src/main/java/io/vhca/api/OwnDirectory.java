package io.vhca.api;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A directory, as it was seen, that belongs to this user and that no other may write to, nor exchange for another: each
 * directory above it belongs to this user or to the system, and is not writable by others or keeps them to their own
 * entries. For providers. Any thread.
 */
public final class OwnDirectory {
    private static final String FACTS = "unix:uid,mode,fileKey,isDirectory,isSymbolicLink";
    private static final Path HERE = Path.of(".");

    private final Path path;
    private final Trust.Entry seen;
    private final String elsewhere;

    private OwnDirectory(final Path path, final Trust.Entry seen, final String elsewhere) {
        this.path = path;
        this.seen = seen;
        this.elsewhere = elsewhere;
    }

    /**
     * Looks at a directory.
     *
     * @param elsewhere how to do without it where it is refused, as "name another directory"
     * @throws NoSuchFileException    where there is none
     * @throws UntrustedFileException where others may change what is in it
     */
    public static OwnDirectory check(final Path directory, final String elsewhere) throws IOException {
        final Path named = withoutDots(directory.toAbsolutePath());
        final Path parent = named.getParent();
        final Trust.Entry seen = entry(named);
        refuse(Trust.wrongWith(seen, ProcessUser.number(), elsewhere));
        if (parent == null) {
            return new OwnDirectory(named, seen, elsewhere);
        }
        final Path real = parent.toRealPath();
        checkAbove(directory, real, elsewhere);
        return new OwnDirectory(real.resolve(Objects.requireNonNull(named.getFileName())), seen, elsewhere);
    }

    /** A point behind a link would hide that it is one. All else stays: what ".." means there the kernel knows. */
    private static Path withoutDots(final Path directory) {
        Path named = directory;
        for (@Nullable Path parent = named.getParent();
                parent != null && HERE.equals(named.getFileName());
                parent = named.getParent()) {
            named = parent;
        }
        return named;
    }

    /**
     * Looks whether others may put another one in the place of a directory, there or not.
     *
     * @param lowest    above it, without a symbolic link
     * @param elsewhere how to do without it
     * @throws UntrustedFileException where they may
     */
    public static void checkAbove(final Path directory, final Path lowest, final String elsewhere)
            throws IOException {
        final long user = ProcessUser.number();
        final long system = entry(lowest.getRoot()).uid();
        for (@Nullable Path above = lowest; above != null; above = above.getParent()) {
            final String wrong = Trust.wrongAbove(entry(above), user, system, elsewhere);
            refuse(wrong.isEmpty() ? "" : directory + ": " + wrong);
        }
    }

    private static void refuse(final String wrong) throws UntrustedFileException {
        if (!wrong.isEmpty()) {
            throw new UntrustedFileException(wrong);
        }
    }

    private static Trust.Entry entry(final Path path) throws IOException {
        final Map<String, Object> all = Files.readAttributes(path, FACTS, LinkOption.NOFOLLOW_LINKS);
        return new Trust.Entry(
                path,
                Boolean.TRUE.equals(all.get("isDirectory")),
                Boolean.TRUE.equals(all.get("isSymbolicLink")),
                Integer.toUnsignedLong((Integer) Objects.requireNonNull(all.get("uid"))),
                (Integer) Objects.requireNonNull(all.get("mode")),
                all.get("fileKey"));
    }

    /** Where it is; no part of it is a symbolic link. */
    public Path path() {
        return path;
    }

    /**
     * Refuses another one that has come in its place.
     *
     * @param opened the key of what was opened
     * @throws UntrustedFileException where it is not the one that was looked at
     */
    public void checkSame(final @Nullable Object opened) throws UntrustedFileException {
        refuse(Trust.wrongIdentity(seen, opened, elsewhere));
    }
}
