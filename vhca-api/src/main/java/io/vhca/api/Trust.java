package io.vhca.api;

import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Whether a user alone decides what lies in a directory: by its owner, its mode and its identity. Pure. */
final class Trust {
    private static final int STICKY = 01000;
    private static final int WRITABLE_BY_OTHERS = 022;
    private static final int PERMISSIONS = 07777;

    private Trust() {}

    /**
     * What a name stands for, a symbolic link for itself.
     *
     * @param key what tells it from every other file of the host
     */
    record Entry(Path path, boolean isDirectory, boolean isLink, long uid, int mode, @Nullable Object key) {
        private boolean isWritableByOthers() {
            return (mode & WRITABLE_BY_OTHERS) != 0;
        }

        private boolean isSticky() {
            return (mode & STICKY) != 0;
        }

        private String modeText() {
            return String.format(Locale.ROOT, "%04o", mode & PERMISSIONS);
        }
    }

    /**
     * Why a directory is not this user's alone, and what to do; empty where it is.
     *
     * @param elsewhere how to do without it, as "name another directory"
     */
    static String wrongWith(final Entry entry, final long user, final String elsewhere) {
        final String what = entry.path().toString();
        if (entry.isLink()) {
            return what + " is a symbolic link; delete it, or " + elsewhere;
        }
        if (!entry.isDirectory()) {
            return what + " is no directory; delete it, or " + elsewhere;
        }
        if (entry.uid() != user) {
            return what + " belongs to user " + entry.uid() + " and not to user " + user
                    + ", who runs this; have it deleted, or " + elsewhere;
        }
        if (entry.isWritableByOthers()) {
            return what + " may be written by other users (mode " + entry.modeText()
                    + "); look at what is in it and `chmod go-w` it, or " + elsewhere;
        }
        return "";
    }

    /**
     * Why others may put another directory in the place of one that lies in this, and what to do; empty where none may.
     *
     * @param system    who owns the root directory: who may do anything
     * @param elsewhere how to do without it
     */
    static String wrongAbove(
            final Entry above, final long user, final long system, final String elsewhere) {
        if (above.uid() != user && above.uid() != system) {
            return above.path() + ", above it, belongs to user " + above.uid() + "; " + elsewhere;
        }
        if (above.isWritableByOthers() && !above.isSticky()) {
            return above.path() + ", above it, may be written by other users (mode " + above.modeText()
                    + "); `chmod go-w` that, or " + elsewhere;
        }
        return "";
    }

    /** Whether what was opened is what was looked at; empty where it is. */
    static String wrongIdentity(final Entry seen, final @Nullable Object opened, final String elsewhere) {
        return seen.key() != null && seen.key().equals(opened)
                ? ""
                : seen.path() + " was exchanged while it was opened; find out by whom, or " + elsewhere;
    }
}
