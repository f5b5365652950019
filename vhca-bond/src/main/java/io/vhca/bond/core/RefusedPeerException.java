package io.vhca.bond.core;

/** Who asked was refused, or refused this bond. Without a stack: strangers choose how often, and it tells nothing. */
final class RefusedPeerException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RefusedPeerException(final String message) {
        super(message, null, false, false);
    }
}
