package io.vhca.api;

import java.io.IOException;

/** Another user may have made a file or a directory, or may change it. The message says what to do. */
public final class UntrustedFileException extends IOException {
    private static final long serialVersionUID = 1L;

    public UntrustedFileException(final String message) {
        super(message);
    }
}
