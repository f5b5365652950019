package io.vhca.rdp.shared;

/** What the other end put into the shared memory is no message of this protocol: the attachment is ended. */
final class CorruptRingException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CorruptRingException(final String what) {
        super(what);
    }
}
