package io.vhca.disni;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;

/**
 * Closes a channel once that was asked for and its last user is gone: DiSNI destroys channels before what hangs on
 * them, which verbs refuse. Any thread.
 */
final class LastUser {
    private final String object;
    private final Runnable close;
    private int users;
    private boolean isClosing;
    private boolean isClosed;

    /**
     * @param object the channel, for messages
     * @param close  closes it; run until it does, by whoever goes last, and by one at a time
     */
    LastUser(final String object, final Runnable close) {
        this.object = object;
        this.close = close;
    }

    /**
     * Another user.
     *
     * @throws VerbsException EINVAL once closing was asked for
     */
    synchronized void enter(final String verb) {
        if (isClosing) {
            throw new VerbsException(verb, Errno.EINVAL, object, "the channel is closed");
        }
        users++;
    }

    /** A user is gone. */
    synchronized void leave() {
        assert users > 0 : "more left than came";
        users--;
        closeIfUnused();
    }

    /**
     * Asks for closing. Idempotent.
     *
     * @return true when the channel is closed, false when it waits for its users
     */
    synchronized boolean close() {
        isClosing = true;
        return closeIfUnused();
    }

    /** Where closing was asked for, and was refused for what is gone by now. */
    synchronized boolean closeIfUnused() {
        if (!isClosing || users > 0) {
            return false;
        }
        if (!isClosed) {
            close.run();
            isClosed = true;
        }
        return true;
    }
}
