package io.vhca.exs;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What waits at a listener: accepts for a connection, or connections for an accept. A request is answered at once, and
 * has no accept until its peer has confirmed the answer: who never does that keeps nobody out but for its place. The
 * driver's lock.
 */
final class Backlog {
    private final int most;
    private final Runnable onEstablished;
    private final ArrayDeque<Handshake.Pending> accepts = new ArrayDeque<>();
    /** Answered, and not confirmed. */
    private final Set<Handshake> answered = new LinkedHashSet<>();
    /** Established, the oldest first. */
    private final ArrayDeque<Handshake> established = new ArrayDeque<>();

    /**
     * Nobody waits there yet.
     *
     * @param most          connections for which no accept waits
     * @param onEstablished a connection waits for an accept
     */
    Backlog(final int most, final Runnable onEstablished) {
        this.most = most;
        this.onEstablished = onEstablished;
    }

    /** True where a connection waits for an accept. */
    boolean hasEstablished() {
        return !established.isEmpty();
    }

    boolean isFull() {
        return answered.size() + established.size() >= most + accepts.size();
    }

    /** Takes the connection that waits longest, or waits for the next one. */
    void accept(final Handshake.Pending accept) {
        accepts.add(accept);
        match();
    }

    /** That one's request is about to be answered. */
    void answered(final Handshake one) {
        answered.add(one);
    }

    /** The peer of one that was answered has confirmed it. */
    void established(final Handshake one) {
        answered.remove(one);
        established.add(one);
        match();
        if (hasEstablished()) {
            onEstablished.run();
        }
    }

    private void match() {
        while (!accepts.isEmpty() && !established.isEmpty()) {
            established.remove().accepted(accepts.remove());
        }
    }

    /** Nothing comes of that one. */
    void remove(final Handshake one) {
        if (!answered.remove(one)) {
            established.remove(one);
        }
    }

    /** Ends the accepts that wait; false where none does. */
    boolean endAccepts(final int errno) {
        final boolean isAny = !accepts.isEmpty();
        accepts.forEach(accept -> accept.done(errno, null));
        accepts.clear();
        return isAny;
    }

    /** The listener is over: ends the accepts, and closes the connections. */
    void end(final int errno) {
        endAccepts(errno);
        final List<Handshake> waiting = new ArrayList<>(answered);
        waiting.addAll(established);
        waiting.forEach(Handshake::closeSocket);
    }
}
