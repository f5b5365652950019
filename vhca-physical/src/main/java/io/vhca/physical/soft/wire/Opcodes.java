package io.vhca.physical.soft.wire;

/** The BTH opcodes that the soft RNIC speaks and what each means (IB spec vol. 1, 9.2.1, table 38). */
public final class Opcodes {
    public static final int RC_SEND_FIRST = 0x00;
    public static final int RC_SEND_MIDDLE = 0x01;
    public static final int RC_SEND_LAST = 0x02;
    public static final int RC_SEND_LAST_IMM = 0x03;
    public static final int RC_SEND_ONLY = 0x04;
    public static final int RC_SEND_ONLY_IMM = 0x05;
    public static final int RC_WRITE_FIRST = 0x06;
    public static final int RC_WRITE_MIDDLE = 0x07;
    public static final int RC_WRITE_LAST = 0x08;
    public static final int RC_WRITE_LAST_IMM = 0x09;
    public static final int RC_WRITE_ONLY = 0x0a;
    public static final int RC_WRITE_ONLY_IMM = 0x0b;
    public static final int RC_READ_REQUEST = 0x0c;
    public static final int RC_READ_RESPONSE_FIRST = 0x0d;
    public static final int RC_READ_RESPONSE_MIDDLE = 0x0e;
    public static final int RC_READ_RESPONSE_LAST = 0x0f;
    public static final int RC_READ_RESPONSE_ONLY = 0x10;
    public static final int RC_ACKNOWLEDGE = 0x11;
    public static final int RC_ATOMIC_ACKNOWLEDGE = 0x12;
    public static final int RC_COMPARE_SWAP = 0x13;
    public static final int RC_FETCH_ADD = 0x14;
    public static final int UD_SEND_ONLY = 0x64;
    public static final int UD_SEND_ONLY_IMM = 0x65;
    /** Congestion notification packet of RoCEv2 (CNP). */
    public static final int CONGESTION_NOTIFICATION = 0x81;

    /** Reserved bytes behind the BTH of a CNP. */
    public static final int CNP_RESERVED_BYTES = 16;

    /** The packet begins a message. */
    public static final int START = 1;
    /** The packet ends a message. */
    public static final int END = 1 << 1;
    /** The packet belongs to a SEND. */
    public static final int SEND = 1 << 2;
    /** The packet belongs to an RDMA WRITE. */
    public static final int WRITE = 1 << 3;
    /** The packet asks for a READ. */
    public static final int READ = 1 << 4;
    /** The packet asks for an atomic. */
    public static final int ATOMIC = 1 << 5;
    /** The packet is a response, from responder to requester. */
    public static final int RESPONSE = 1 << 6;
    public static final int HAS_RETH = 1 << 7;
    public static final int HAS_AETH = 1 << 8;
    public static final int HAS_IMM = 1 << 9;
    public static final int HAS_ATOMIC_ETH = 1 << 10;
    public static final int HAS_ATOMIC_ACK_ETH = 1 << 11;
    public static final int HAS_DETH = 1 << 12;
    /** The packet may carry payload. */
    public static final int HAS_PAYLOAD = 1 << 13;

    /** The packet says that packets of its receiver came through congestion. */
    public static final int CONGESTION = 1 << 14;

    /** A request of a reliable connection that is not carried here, as one that invalidates a key. */
    public static final int UNSUPPORTED = 1 << 15;

    private static final int FIRST_UNSUPPORTED = RC_FETCH_ADD + 1;
    private static final int LAST_OF_RC = 0x1f;

    private static final int[] FLAGS = new int[256];
    private static final int[] HEADER_BYTES = new int[256];

    static {
        define(RC_SEND_FIRST, SEND | START | HAS_PAYLOAD);
        define(RC_SEND_MIDDLE, SEND | HAS_PAYLOAD);
        define(RC_SEND_LAST, SEND | END | HAS_PAYLOAD);
        define(RC_SEND_LAST_IMM, SEND | END | HAS_IMM | HAS_PAYLOAD);
        define(RC_SEND_ONLY, SEND | START | END | HAS_PAYLOAD);
        define(RC_SEND_ONLY_IMM, SEND | START | END | HAS_IMM | HAS_PAYLOAD);
        define(RC_WRITE_FIRST, WRITE | START | HAS_RETH | HAS_PAYLOAD);
        define(RC_WRITE_MIDDLE, WRITE | HAS_PAYLOAD);
        define(RC_WRITE_LAST, WRITE | END | HAS_PAYLOAD);
        define(RC_WRITE_LAST_IMM, WRITE | END | HAS_IMM | HAS_PAYLOAD);
        define(RC_WRITE_ONLY, WRITE | START | END | HAS_RETH | HAS_PAYLOAD);
        define(RC_WRITE_ONLY_IMM, WRITE | START | END | HAS_RETH | HAS_IMM | HAS_PAYLOAD);
        define(RC_READ_REQUEST, READ | START | END | HAS_RETH);
        define(RC_READ_RESPONSE_FIRST, RESPONSE | START | HAS_AETH | HAS_PAYLOAD);
        define(RC_READ_RESPONSE_MIDDLE, RESPONSE | HAS_PAYLOAD);
        define(RC_READ_RESPONSE_LAST, RESPONSE | END | HAS_AETH | HAS_PAYLOAD);
        define(RC_READ_RESPONSE_ONLY, RESPONSE | START | END | HAS_AETH | HAS_PAYLOAD);
        define(RC_ACKNOWLEDGE, RESPONSE | START | END | HAS_AETH);
        define(RC_ATOMIC_ACKNOWLEDGE, RESPONSE | START | END | HAS_AETH | HAS_ATOMIC_ACK_ETH);
        define(RC_COMPARE_SWAP, ATOMIC | START | END | HAS_ATOMIC_ETH);
        define(RC_FETCH_ADD, ATOMIC | START | END | HAS_ATOMIC_ETH);
        for (int opcode = FIRST_UNSUPPORTED; opcode <= LAST_OF_RC; opcode++) {
            define(opcode, UNSUPPORTED | HAS_PAYLOAD);
        }
        define(UD_SEND_ONLY, SEND | START | END | HAS_DETH | HAS_PAYLOAD);
        define(UD_SEND_ONLY_IMM, SEND | START | END | HAS_DETH | HAS_IMM | HAS_PAYLOAD);
        define(CONGESTION_NOTIFICATION, CONGESTION);
    }

    private Opcodes() {}

    private static void define(final int opcode, final int flags) {
        FLAGS[opcode] = flags;
        HEADER_BYTES[opcode] = BthDescriptor.SIZE
                + ((flags & HAS_RETH) != 0 ? RethDescriptor.SIZE : 0)
                + ((flags & HAS_AETH) != 0 ? AethDescriptor.SIZE : 0)
                + ((flags & HAS_IMM) != 0 ? ImmDtDescriptor.SIZE : 0)
                + ((flags & HAS_ATOMIC_ETH) != 0 ? AtomicEthDescriptor.SIZE : 0)
                + ((flags & HAS_ATOMIC_ACK_ETH) != 0 ? AtomicAckEthDescriptor.SIZE : 0)
                + ((flags & HAS_DETH) != 0 ? DethDescriptor.SIZE : 0)
                + ((flags & CONGESTION) != 0 ? CNP_RESERVED_BYTES : 0);
    }

    /** A combination of the flags above; 0 for an opcode that belongs to no transport of this device. */
    public static int flags(final int opcode) {
        return FLAGS[opcode & 0xff];
    }

    /** Bytes of BTH and extended headers; the immediate is always the last of them. */
    public static int headerBytes(final int opcode) {
        return HEADER_BYTES[opcode & 0xff];
    }
}
