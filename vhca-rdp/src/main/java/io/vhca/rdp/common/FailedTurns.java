package io.vhca.rdp.common;

import io.vhca.api.VerbsException;
import java.lang.System.Logger;

/**
 * Says in the log why turns of a thread fail that goes on whatever fails: once where each fails by the same, and with
 * its trace where that is no word of a device. One thread.
 */
public final class FailedTurns {
    private final Logger logger;
    private final String whose;
    private String warned = "";

    /** @param whose turns they are, as the log is to say it */
    public FailedTurns(final Logger logger, final String whose) {
        this.logger = logger;
        this.whose = whose;
    }

    /** Throws nothing: where there is no memory for a line of the log, the next turn that fails may have some. */
    public void warn(final Throwable failed) {
        try {
            say(failed);
        } catch (final VirtualMachineError e) {
            warned = "";
        }
    }

    private void say(final Throwable failed) {
        final String what = failed.toString();
        if (!what.equals(warned)) {
            warned = what;
            final String text = "a turn of " + whose + " failed, it is tried again: " + failed.getMessage();
            if (failed instanceof VerbsException) {
                logger.log(Logger.Level.WARNING, text);
            } else {
                logger.log(Logger.Level.WARNING, text, failed);
            }
        }
    }
}
