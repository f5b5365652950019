package io.vhca.rdp.shared;

import org.agrona.BitUtil;

/**
 * Where a driver leaves a short datagram of a socket before the client asks for it, in host byte order.
 *
 * <pre>
 *   0            4        8               12             28       64                        576
 *  +------------+--------+---------------+--------------+--------+-------------------------+
 *  | length + 1 | port   | address bytes | address      |        | datagram                |
 *  +------------+--------+---------------+--------------+--------+-------------------------+
 * </pre>
 *
 * The first word is 0 where there is none. The driver alone writes it then, and last; the client alone writes the 0.
 */
final class SlotDescriptor {
    /** No longer datagram is left there. */
    static final int MOST_BYTES = 512;

    static final int STATE_OFFSET = 0;
    static final int PORT_OFFSET = STATE_OFFSET + Integer.BYTES;
    static final int ADDRESS_BYTES_OFFSET = PORT_OFFSET + Integer.BYTES;
    static final int ADDRESS_OFFSET = ADDRESS_BYTES_OFFSET + Integer.BYTES;
    static final int DATA_OFFSET = BitUtil.CACHE_LINE_LENGTH;
    static final int SIZE = DATA_OFFSET + MOST_BYTES;

    static final int NONE = 0;

    static {
        assert ADDRESS_OFFSET + CallDescriptor.MOST_ADDRESS_BYTES <= DATA_OFFSET && SIZE == 576 : "the picture";
    }

    private SlotDescriptor() {}
}
