package io.vhca.physical.events;

import java.lang.System.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Calls of an application's listeners. What one throws is logged and ends nobody else: who calls it is a device, or the
 * thread of all of them. Any thread.
 */
public final class Listeners {
    private static final Logger LOGGER = System.getLogger(Listeners.class.getName());

    private Listeners() {}

    /** Nothing for null. */
    public static void tell(final @Nullable Runnable listener) {
        if (listener == null) {
            return;
        }
        try {
            listener.run();
        } catch (final RuntimeException | Error e) {
            LOGGER.log(Logger.Level.WARNING, "a listener for events failed, others go on: " + listener, e);
        }
    }
}
