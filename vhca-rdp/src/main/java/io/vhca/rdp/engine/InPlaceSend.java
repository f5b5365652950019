package io.vhca.rdp.engine;

import io.vhca.rdp.memory.RegistrationCache;
import org.jspecify.annotations.Nullable;

/** A datagram that is being sent from the application's memory: which messages of it are on their way still. */
final class InPlaceSend {
    private final RegistrationCache cache;
    private RegistrationCache.@Nullable Entry memory;
    private @Nullable Port port;
    private long token;
    private int left;
    private boolean isLost;
    /** The next one that nobody uses. */
    @Nullable InPlaceSend nextFree;

    InPlaceSend(final RegistrationCache cache) {
        this.cache = cache;
    }

    void begin(final Port of, final RegistrationCache.Entry at, final int messages, final long given) {
        assert left == 0 : "a send in place was used again too early";
        port = of;
        memory = at;
        left = messages;
        token = given;
        isLost = false;
    }

    /** It was not sent after all: nobody is told. */
    void cancel() {
        final RegistrationCache.Entry at = memory;
        memory = null;
        port = null;
        left = 0;
        if (at != null) {
            cache.release(at);
        }
    }

    /** It was accepted, and is on its way. */
    void sent() {
        cache.sentFrom(memory());
    }

    int lkey() {
        return memory().lkey();
    }

    private RegistrationCache.Entry memory() {
        final RegistrationCache.Entry at = memory;
        if (at == null) {
            throw new AssertionError("a send in place without memory");
        }
        return at;
    }

    /**
     * A message of it is over.
     *
     * @return whether that was the last one: its memory is the application's again
     */
    boolean over(final boolean wasLost) {
        isLost |= wasLost;
        left--;
        final RegistrationCache.Entry at = memory;
        final Port of = port;
        if (left > 0 || at == null || of == null) {
            return false;
        }
        memory = null;
        port = null;
        cache.release(at);
        of.completed(token, isLost);
        return true;
    }
}
