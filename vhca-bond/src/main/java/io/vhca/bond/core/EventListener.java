package io.vhca.bond.core;

import java.lang.System.Logger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Whom an application wants told that there are events to take; nobody at first. What it throws is logged: it may be
 * told in the middle of a recovery, whose requests would never complete. Any thread.
 */
public final class EventListener {
    private static final Logger LOGGER = System.getLogger(EventListener.class.getName());

    private volatile @Nullable Runnable listener;

    /**
     * Is told from now on in place of who was before; at once where there are events already.
     *
     * @param hasEvents looks when the listener has been replaced: an event that it does not see tells the new one
     */
    public void replace(final @Nullable Runnable told, final BooleanSupplier hasEvents) {
        listener = told;
        if (hasEvents.getAsBoolean()) {
            tell();
        }
    }

    /** An event was added. */
    public void tell() {
        final Runnable told = listener;
        if (told == null) {
            return;
        }
        try {
            told.run();
        } catch (final RuntimeException | Error e) {
            log(told, e);
        }
    }

    private static void log(final Runnable told, final Throwable error) {
        try {
            LOGGER.log(Logger.Level.WARNING, "a listener for events failed, the bond goes on: " + told, error);
        } catch (final RuntimeException | Error e) {
            // Without memory for a line of the log the bond goes on as well.
        }
    }
}
