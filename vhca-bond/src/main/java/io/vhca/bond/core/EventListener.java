package io.vhca.bond.core;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Whom an application wants told that there are events to take; nobody at first. Any thread. */
public final class EventListener {
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
        if (told != null) {
            told.run();
        }
    }
}
