package io.vhca.rdp.shared;

/**
 * A call of a client, in host byte order; a datagram follows it.
 *
 * <pre>
 *   0            8        12       16              24       28              32             48
 *  +------------+--------+--------+---------------+--------+---------------+--------------+- - - - -
 *  | number     | verb   | socket | argument      | port   | address bytes | address      | datagram
 *  +------------+--------+--------+---------------+--------+---------------+--------------+- - - - -
 * </pre>
 */
final class CallDescriptor {
    static final int NUMBER_OFFSET = 0;
    static final int VERB_OFFSET = NUMBER_OFFSET + Long.BYTES;
    static final int SOCKET_OFFSET = VERB_OFFSET + Integer.BYTES;
    static final int ARGUMENT_OFFSET = SOCKET_OFFSET + Integer.BYTES;
    static final int PORT_OFFSET = ARGUMENT_OFFSET + Long.BYTES;
    static final int ADDRESS_BYTES_OFFSET = PORT_OFFSET + Integer.BYTES;
    static final int ADDRESS_OFFSET = ADDRESS_BYTES_OFFSET + Integer.BYTES;
    static final int MOST_ADDRESS_BYTES = 16;
    static final int SIZE = ADDRESS_OFFSET + MOST_ADDRESS_BYTES;

    /** Its kind of message on the ring. */
    static final int KIND = 1;

    static {
        assert SIZE == 48 : "the picture";
    }

    private CallDescriptor() {}
}
