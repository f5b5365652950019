package io.vhca.exs;

import org.jspecify.annotations.Nullable;

/**
 * How an asynchronous call ended. The caller of {@link ExsQueue#qdequeue} owns it and has it filled again and again.
 */
public final class ExsEvent {
    @Nullable EventKind kind;
    @Nullable ExsSocket socket;
    @Nullable ExsSocket accepted;
    @Nullable Object cookie;
    long bytes;
    int errno;
    boolean isTruncated;
    int ready;

    /** What was called. */
    public EventKind kind() {
        final EventKind filled = kind;
        if (filled == null) {
            throw new IllegalStateException("qdequeue has not filled this event");
        }
        return filled;
    }

    /** The socket of the call. */
    public ExsSocket socket() {
        final ExsSocket filled = socket;
        if (filled == null) {
            throw new IllegalStateException("qdequeue has not filled this event");
        }
        return filled;
    }

    /** The new socket of an ACCEPT without error, else null. */
    public @Nullable ExsSocket accepted() {
        return accepted;
    }

    /** What the call was given. */
    public @Nullable Object cookie() {
        return cookie;
    }

    /** Bytes sent or received, 0 where it failed; a receive of 0 bytes from a stream is its end. */
    public long bytes() {
        return bytes;
    }

    /** 0, or a positive errno; {@link ExsSocket#failure} has the sentence. */
    public int errno() {
        return errno;
    }

    /** True when a message was longer than the receive that took it: the rest is gone. */
    public boolean isTruncated() {
        return isTruncated;
    }

    /** Of a POLL: {@link ExsSocket#READABLE} and {@link ExsSocket#WRITABLE}, of those that were asked for; else 0. */
    public int ready() {
        return ready;
    }

    @Override
    public String toString() {
        return kind + " of " + socket + ": " + bytes + " bytes, errno " + errno;
    }
}
