package io.vhca.rdp.unix;

import java.io.IOException;
import java.lang.System.Logger;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import org.agrona.CloseHelper;
import org.jspecify.annotations.Nullable;

/**
 * Where others connect to. What goes wrong there is the loss of who connects, and of nobody who has: where a process
 * has no file descriptors or no memory left it accepts nobody for a moment, then tries again. One thread at a time.
 */
public final class UnixListener {
    private static final Logger LOGGER = System.getLogger(UnixListener.class.getName());
    /** The selector would say at once again that somebody waits. */
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final String name;
    private final Acceptor acceptor;
    private final SelectionKey key;
    private final Runnable refused;
    private boolean isPaused;
    private long pausedNs;
    /** Accepting has failed, and nobody was accepted since. */
    private boolean isFailing;

    /** What a listening channel does. */
    public interface Acceptor {
        /** Who has connected, null for nobody. */
        @Nullable SocketChannel accept() throws IOException;
    }

    /**
     * @param name     what others connect to, for the log
     * @param acceptor the listening channel
     * @param key      of that channel, interested in who connects
     * @param refused  hears of each that is not served, and once of those who wait while nobody can be accepted
     */
    public UnixListener(final String name, final Acceptor acceptor, final SelectionKey key, final Runnable refused) {
        this.name = name;
        this.acceptor = acceptor;
        this.key = key;
        this.refused = refused;
    }

    /** Whether it is this one that was selected. */
    public boolean is(final SelectionKey selected) {
        return selected == key;
    }

    /** Whether nobody is accepted for now: {@link #resume} is to be called soon. */
    public boolean isPaused() {
        return isPaused;
    }

    /** Before each select: a pause that is over ends. */
    public void resume(final long nowNs) {
        if (isPaused && nowNs - pausedNs >= PAUSE_NS) {
            isPaused = false;
            key.interestOps(SelectionKey.OP_ACCEPT);
        }
    }

    /**
     * Accepts who has connected; the same selector says from then on when he says something.
     *
     * @return his connection, which does not block; null where there is none, or he is refused
     * @throws IOException it listens no longer
     */
    public @Nullable SelectionKey accept(final long nowNs) throws IOException {
        final SocketChannel channel;
        try {
            channel = acceptor.accept();
        } catch (final IOException | OutOfMemoryError e) {
            if (!key.isValid()) {
                throw e;
            }
            pause(e, nowNs);
            return null;
        }
        if (channel == null) {
            return null;
        }
        isFailing = false;
        try {
            channel.configureBlocking(false);
            return channel.register(key.selector(), SelectionKey.OP_READ);
        } catch (final IOException | OutOfMemoryError e) {
            CloseHelper.quietClose(channel);
            LOGGER.log(Logger.Level.DEBUG, "nobody can be served who connects to " + name + ": " + e.getMessage());
            refused.run();
            return null;
        }
    }

    private void pause(final Throwable why, final long nowNs) {
        final boolean isFirst = !isFailing;
        isFailing = true;
        isPaused = true;
        pausedNs = nowNs;
        key.interestOps(0);
        if (isFirst) {
            refused.run();
            LOGGER.log(Logger.Level.WARNING, "nobody can connect to " + name + " for now: " + why.getMessage()
                    + "; it tries again, and serves who has connected");
        }
    }
}
