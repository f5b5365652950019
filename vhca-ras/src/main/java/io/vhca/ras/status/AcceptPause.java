package io.vhca.ras.status;

import io.vhca.api.FailureText;
import java.io.IOException;
import java.lang.System.Logger;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * What a thread does that can accept nobody, as of a process that is out of descriptors or of memory: it waits a moment
 * and tries again. That is logged once, until somebody was served. That thread.
 */
public final class AcceptPause {
    private static final Logger LOGGER = System.getLogger(AcceptPause.class.getName());
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final String what;
    private boolean isFailing;

    /** @param what cannot be done while nobody can be accepted, a sentence to which the reason is added */
    public AcceptPause(final String what) {
        this.what = what;
    }

    /** Somebody was accepted and served. */
    public void over() {
        isFailing = false;
    }

    /** Nobody was: the next one may be better off, but not at once. */
    public void await(final Throwable why) {
        if (!isFailing) {
            isFailing = true;
            final String line = what + " for now (" + FailureText.of(why)
                    + "); it is tried again. Where descriptors are what is missing, raise `ulimit -n`";
            if (why instanceof IOException) {
                LOGGER.log(Logger.Level.WARNING, line);
            } else {
                LOGGER.log(Logger.Level.WARNING, line, why);
            }
        }
        LockSupport.parkNanos(PAUSE_NS);
    }
}
