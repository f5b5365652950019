package io.vhca.physical.soft.wire;

/** Codes of the AETH's syndrome byte (IB spec vol. 1, 9.7.5.1.2, tables 43 to 45). */
public final class Syndrome {
    /** Positive acknowledgement, credits unlimited. */
    public static final int ACK_UNLIMITED = 0x1f;
    /** Receiver not ready; the low 5 bits are the timer. */
    public static final int RNR_NAK = 0x20;
    public static final int NAK_PSN_SEQUENCE = 0x60;
    public static final int NAK_INVALID_REQUEST = 0x61;
    public static final int NAK_REMOTE_ACCESS = 0x62;
    public static final int NAK_REMOTE_OPERATIONAL = 0x63;

    private static final int KIND_MASK = 0xe0;
    private static final int CODE_MASK = 0x1f;
    private static final int ACK = 0;

    /** Tens of microseconds of each RNR timer code. */
    private static final int[] RNR_TENS_OF_US = {
        65_536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1_024, 1_536, 2_048, 3_072,
        4_096, 6_144, 8_192, 12_288, 16_384, 24_576, 32_768, 49_152
    };

    private Syndrome() {}

    public static boolean isAck(final int syndrome) {
        return (syndrome & KIND_MASK) == ACK;
    }

    public static boolean isRnrNak(final int syndrome) {
        return (syndrome & KIND_MASK) == RNR_NAK;
    }

    /** How long the requester waits, by the timer code of an RNR NAK or of {@code min_rnr_timer}. */
    public static long rnrTimerNs(final int syndromeOrCode) {
        return RNR_TENS_OF_US[syndromeOrCode & CODE_MASK] * 10_000L;
    }
}
