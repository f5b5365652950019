package io.vhca.api;

import java.io.IOException;
import java.lang.System.Logger;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The time that a conversation over a socket may take: when it is over the socket is closed, which ends whatever call
 * another thread is in. A virtual thread waits for it, until {@link #close}. For providers.
 */
public final class SocketDeadline implements AutoCloseable {
    private static final Logger LOGGER = System.getLogger(SocketDeadline.class.getName());

    private final SocketChannel channel;
    private final Thread waiting;
    private final AtomicReference<State> state = new AtomicReference<>(State.RUNNING);

    private enum State {
        RUNNING,
        MET,
        PASSED
    }

    /** It begins to run. */
    public SocketDeadline(final SocketChannel channel, final Duration timeout) {
        this.channel = channel;
        waiting = Thread.ofVirtual().name("vhca-deadline").start(() -> await(timeout));
    }

    private void await(final Duration timeout) {
        try {
            Thread.sleep(timeout);
            if (state.compareAndSet(State.RUNNING, State.PASSED)) {
                channel.close();
            }
        } catch (final InterruptedException e) {
            // It was met.
        } catch (final IOException e) {
            LOGGER.log(Logger.Level.DEBUG, "a socket whose time was over was not closed: " + e.getMessage());
        }
    }

    /** Whether the socket was closed for it. */
    public boolean hasPassed() {
        return state.get() == State.PASSED;
    }

    /** What was to be done is: the socket stays open from now on; false where it was too late. */
    public boolean meet() {
        final boolean isMet = state.compareAndSet(State.RUNNING, State.MET) || state.get() == State.MET;
        waiting.interrupt();
        return isMet;
    }

    @Override
    public void close() {
        waiting.interrupt();
    }
}
