package io.vhca.physical.verbs.lib;

import org.jspecify.annotations.Nullable;

/**
 * Tells a listener, once each time that it is asked, that a descriptor can be read which others read; the provider's
 * agent looks at it. Any thread. Owns its place at the agent.
 */
public final class Teller implements AutoCloseable {
    private final int fd;
    private final Readiness readiness;
    private volatile @Nullable Runnable listener;
    /** Once there was a listener; guarded by this. */
    private EventAgent.@Nullable Source source;

    /** @param readiness of the descriptor's owner, who closes it before he closes this */
    public Teller(final int fd, final Readiness readiness) {
        this.fd = fd;
        this.readiness = readiness;
    }

    /** Whom to tell next, in place of who was to be told before; null for nobody. Nothing where its owner is closed. */
    public void onReadable(final @Nullable Runnable told) {
        listener = told;
        if (told != null && readiness.enter()) {
            try {
                await();
            } finally {
                readiness.leave();
            }
        }
    }

    private synchronized void await() {
        if (source == null) {
            source = EventAgent.shared().registerReadByOthers(fd, this::tell);
        } else {
            EventAgent.shared().await(source);
        }
    }

    private void tell() {
        final Runnable told = listener;
        if (told != null) {
            told.run();
        }
    }

    /** When it returns, nobody is being told, and nobody will be. Idempotent. */
    @Override
    public void close() {
        final EventAgent.Source known;
        synchronized (this) {
            known = source;
            source = null;
        }
        if (known != null) {
            EventAgent.shared().unregister(known);
        }
    }
}
