package io.vhca.rdp.shared;

/**
 * What the driver answers to a call, in host byte order; a datagram, or the text of an error, follows it.
 *
 * <pre>
 *   0            8               16       20              24             40
 *  +------------+---------------+--------+---------------+--------------+- - - - - - - -
 *  | number     | result, errno | port   | address bytes | address      | datagram, text
 *  +------------+---------------+--------+---------------+--------------+- - - - - - - -
 * </pre>
 */
final class AnswerDescriptor {
    static final int NUMBER_OFFSET = 0;
    static final int RESULT_OFFSET = NUMBER_OFFSET + Long.BYTES;
    static final int PORT_OFFSET = RESULT_OFFSET + Long.BYTES;
    static final int ADDRESS_BYTES_OFFSET = PORT_OFFSET + Integer.BYTES;
    static final int ADDRESS_OFFSET = ADDRESS_BYTES_OFFSET + Integer.BYTES;
    static final int SIZE = ADDRESS_OFFSET + CallDescriptor.MOST_ADDRESS_BYTES;

    /** Kinds of message on the ring. */
    static final int DONE = 2;

    static final int FAILED = 3;

    /** Results of a receive: there is no datagram; it is in the socket's slot. */
    static final int NO_DATAGRAM = -1;

    static final int IN_SLOT = -2;

    static {
        assert SIZE == 40 : "the picture";
    }

    private AnswerDescriptor() {}
}
