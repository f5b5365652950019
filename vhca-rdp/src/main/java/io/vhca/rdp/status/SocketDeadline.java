package io.vhca.rdp.status;

import java.io.IOException;
import java.lang.System.Logger;
import java.nio.channels.SocketChannel;
import java.time.Duration;

/**
 * The time that somebody waits for what is at a socket: when it is over the socket is closed, which ends whatever call
 * another thread is in. A virtual thread waits for it, until {@link #close}.
 */
final class SocketDeadline implements AutoCloseable {
    private static final Logger LOGGER = System.getLogger(SocketDeadline.class.getName());

    private final SocketChannel channel;
    private final Thread waiting;
    private volatile boolean hasPassed;

    /** It begins to run. */
    SocketDeadline(final SocketChannel channel, final Duration limit) {
        this.channel = channel;
        waiting = Thread.ofVirtual().name("vhca-rdp-deadline").start(() -> await(limit));
    }

    private void await(final Duration limit) {
        try {
            Thread.sleep(limit);
            hasPassed = true;
            channel.close();
        } catch (final InterruptedException e) {
            // It was met.
        } catch (final IOException e) {
            LOGGER.log(Logger.Level.DEBUG, "a socket whose time was over was not closed: " + e.getMessage());
        }
    }

    /** Whether the socket was closed for it. */
    boolean hasPassed() {
        return hasPassed;
    }

    @Override
    public void close() {
        waiting.interrupt();
    }
}
