package io.vhca.bond.wire;

/**
 * Layout of the datagram by which a bond asks another whether a path carries, and of its answer; big-endian. It goes
 * from one UD queue pair of the bonds' own to another, in the network that the path is in. The answer is the question
 * with another kind.
 *
 * <pre>
 *   0      1               2               3           4          8       16                32
 *   | kind | traffic class | service level | hop limit | reserved | nonce | asker's address |
 * </pre>
 *
 * <p>The class is that of the packets which the path is asked for, and 0 where they have none; question and answer are
 * sent with it. The address is that of the member which asks, IPv4 as an IPv4-mapped one.
 */
public final class EchoDescriptor {
    public static final int QUESTION = 1;
    public static final int ANSWER = 2;

    public static final int KIND_OFFSET = 0;
    public static final int TRAFFIC_CLASS_OFFSET = KIND_OFFSET + 1;
    public static final int SERVICE_LEVEL_OFFSET = TRAFFIC_CLASS_OFFSET + 1;
    public static final int HOP_LIMIT_OFFSET = SERVICE_LEVEL_OFFSET + 1;
    public static final int NONCE_OFFSET = Long.BYTES;
    public static final int ADDRESS_OFFSET = NONCE_OFFSET + Long.BYTES;
    public static final int ADDRESS_SIZE = 16;
    public static final int SIZE = ADDRESS_OFFSET + ADDRESS_SIZE;

    /** The Q_Key of the queue pairs; nobody is kept out by it. */
    public static final int QKEY = 0x0EC4_0EC4;

    static {
        if (SIZE != 32) {
            throw new ExceptionInInitializerError("an echo takes 32 bytes, not " + SIZE);
        }
    }

    private EchoDescriptor() {}

    /** Whether that may be an echo, by what arrived behind the GRH. */
    public static boolean isWhole(final int kind, final int lengthBytes) {
        return lengthBytes >= SIZE && (kind == QUESTION || kind == ANSWER);
    }
}
