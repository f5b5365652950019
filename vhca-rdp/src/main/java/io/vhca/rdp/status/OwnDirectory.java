package io.vhca.rdp.status;

import io.vhca.api.ProcessUser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A directory that belongs to this user and that no other may write to: nobody puts something else in the place of what
 * this user makes there. Any thread.
 */
public final class OwnDirectory {
    private static final int STICKY = 01000;
    private static final int WRITABLE_BY_OTHERS = 022;

    private OwnDirectory() {}

    /**
     * Refuses one that others may write to, or have put there.
     *
     * @param naming what names another one
     */
    public static void check(final Path directory, final String naming) throws IOException {
        if (Files.isSymbolicLink(directory)) {
            throw new IOException(directory + " is a symbolic link; name the directory itself by " + naming);
        }
        final Set<PosixFilePermission> open =
                Files.getPosixFilePermissions(directory, LinkOption.NOFOLLOW_LINKS);
        // By number: in a container a user may have no name.
        final long owner = owner(directory, LinkOption.NOFOLLOW_LINKS);
        final long user = ProcessUser.number();
        if (owner != user) {
            throw new IOException(directory + " belongs to user " + owner + " and not to user " + user
                    + ", who runs this; have it deleted, or name another one by " + naming);
        }
        if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException(directory + " is no directory; delete it, or name another one by " + naming);
        }
        if (open.contains(PosixFilePermission.GROUP_WRITE) || open.contains(PosixFilePermission.OTHERS_WRITE)) {
            throw new IOException(directory + " may be written to by others; make it this user's own, or name another"
                    + " one by " + naming);
        }
        checkAbove(directory, user, naming);
    }

    /** Who may rename in a directory above it exchanges it. */
    private static void checkAbove(final Path directory, final long user, final String naming) throws IOException {
        final Path parent = Objects.requireNonNullElse(directory.toAbsolutePath().getParent(), directory).toRealPath();
        final long system = owner(parent.getRoot());
        for (@Nullable Path above = parent; above != null; above = above.getParent()) {
            final long owner = owner(above);
            final int mode = (Integer) Files.getAttribute(above, "unix:mode");
            final boolean isOpen = (mode & WRITABLE_BY_OTHERS) != 0 && (mode & STICKY) == 0;
            if (isOpen || owner != user && owner != system) {
                throw new IOException(directory + " may be exchanged by others, for " + above
                        + (isOpen ? " may be written to by them" : " belongs to user " + owner)
                        + "; name another one by " + naming);
            }
        }
    }

    /** By number. */
    public static long owner(final Path path, final LinkOption... options) throws IOException {
        return Integer.toUnsignedLong((Integer) Files.getAttribute(path, "unix:uid", options));
    }
}
