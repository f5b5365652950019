package io.vhca.bond.wire;

/**
 * Layout of a message on the connection by which two bonds recover over a path; big-endian: one word or several, each
 * for one vQP, one behind the other. What is behind a word's header is the record that else is the private data of the
 * connection manager's message.
 *
 * <pre>
 *   0      1                  2        4             8        12         16
 *   | kind | reserved         | length | target vQPN | number | reserved | record |
 * </pre>
 */
public final class ChannelMessageDescriptor {
    /** As a REQ: asks to recover the vQP over the connection of that number that stands by. */
    public static final int ASK = 1;
    /** As a REP. */
    public static final int ACCEPT = 2;
    /** As an RTU. */
    public static final int CONFIRM = 3;
    /** As a REJ. */
    public static final int REJECT = 4;

    public static final int KIND_OFFSET = 0;
    public static final int LENGTH_OFFSET = 2;
    public static final int TARGET_OFFSET = LENGTH_OFFSET + Short.BYTES;
    public static final int NUMBER_OFFSET = TARGET_OFFSET + Integer.BYTES;
    public static final int RECORD_OFFSET = NUMBER_OFFSET + 2 * Integer.BYTES;

    /** Bytes of a message at most. */
    public static final int MAX_SIZE = 2_048;
    /** Of a word at most: any record fits. */
    public static final int MAX_WORD_SIZE = 256;

    static {
        if (RECORD_OFFSET != 16) {
            throw new ExceptionInInitializerError("a word's header takes 16 bytes, not " + RECORD_OFFSET);
        }
    }

    private ChannelMessageDescriptor() {}

    /** Whether so many bytes from the network begin with a word. */
    public static boolean isWhole(final int kind, final int recordLength, final int arrived) {
        return kind >= ASK && kind <= REJECT && recordLength >= 0 && RECORD_OFFSET + recordLength <= arrived;
    }
}
