package io.vhca.physical.soft.capture;

/**
 * Layout of a capture file, in the byte order of the machine:
 *
 * <pre>
 *   0      +-------------------------------------------+
 *          | header: magic (written last), version,    |
 *          | address, pid, name                        |
 *   4096   +-------------------------------------------+
 *          | slot 0                                    |   {@value #SLOTS} slots; packet n is in slot n modulo that
 *          +-------------------------------------------+
 *          | slot 1 ...                                |
 *
 *   a slot
 *   0        8       16       20       24      28       32       40       48     52       64
 *   +--------+--------+--------+--------+-------+-------+--------+--------+------+--------+------------
 *   |sequence| time   | length | flags  | port  | class |peer GID         | hops | unused | the packet
 *   +--------+--------+--------+--------+-------+-------+--------+--------+------+--------+------------
 * </pre>
 *
 * <p>The sequence is one more than the packet's number and is written last; 0 says that the slot is being written. A
 * time is in nanoseconds since 1970. A packet is what a carrier carries, BTH up to and including the ICRC.
 */
final class CaptureDescriptor {
    /** "VHCACAPT". */
    static final long MAGIC = 0x5450_4143_4143_4856L;

    static final int VERSION = 1;
    static final int SLOTS = 2_048;

    /** Flags: it was sent, else it was received. */
    static final int SENT = 1;

    static final int MAGIC_OFFSET = 0;
    static final int VERSION_OFFSET = MAGIC_OFFSET + Long.BYTES;
    static final int PID_OFFSET = VERSION_OFFSET + Long.BYTES;
    static final int ADDRESS_HIGH_OFFSET = PID_OFFSET + Long.BYTES;
    static final int ADDRESS_LOW_OFFSET = ADDRESS_HIGH_OFFSET + Long.BYTES;
    /** One byte of length, then ASCII. */
    static final int NAME_OFFSET = ADDRESS_LOW_OFFSET + Long.BYTES;
    static final int NAME_BYTES = 64;
    static final int HEADER_BYTES = 4_096;

    static final int SEQUENCE_OFFSET = 0;
    static final int TIME_OFFSET = SEQUENCE_OFFSET + Long.BYTES;
    static final int LENGTH_OFFSET = TIME_OFFSET + Long.BYTES;
    static final int FLAGS_OFFSET = LENGTH_OFFSET + Integer.BYTES;
    /** UDP source port. */
    static final int PORT_OFFSET = FLAGS_OFFSET + Integer.BYTES;
    static final int CLASS_OFFSET = PORT_OFFSET + Integer.BYTES;
    static final int PEER_HIGH_OFFSET = CLASS_OFFSET + Integer.BYTES;
    static final int PEER_LOW_OFFSET = PEER_HIGH_OFFSET + Long.BYTES;
    /** Hop limit of one that was sent, 0 where it is not known. */
    static final int HOPS_OFFSET = PEER_LOW_OFFSET + Long.BYTES;
    static final int PACKET_OFFSET = 64;
    /** The largest payload, and all headers around one. */
    static final int PACKET_BYTES = 4_096 + 128;
    static final int SLOT_BYTES = PACKET_OFFSET + PACKET_BYTES;

    static final int FILE_BYTES = HEADER_BYTES + SLOTS * SLOT_BYTES;

    static {
        if (HOPS_OFFSET + Integer.BYTES > PACKET_OFFSET || NAME_OFFSET + NAME_BYTES > HEADER_BYTES
                || SLOT_BYTES % Long.BYTES != 0 || Integer.bitCount(SLOTS) != 1) {
            throw new ExceptionInInitializerError("the layout of a capture is wrong");
        }
    }

    private CaptureDescriptor() {}

    /** Where the slot of a packet is, by its number. */
    static int slot(final long number) {
        return HEADER_BYTES + ((int) number & SLOTS - 1) * SLOT_BYTES;
    }
}
