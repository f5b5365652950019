package io.vhca.tool.console;

import org.jspecify.annotations.Nullable;

/**
 * Something that a job needs is missing on this machine. The message is one sentence: what, and what to do about it.
 */
public final class EnvironmentException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public EnvironmentException(final String message) {
        this(message, null);
    }

    public EnvironmentException(final String message, final @Nullable Throwable cause) {
        super(message, cause);
    }
}
