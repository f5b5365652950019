package io.vhca.ras.journal;

/**
 * Layout of a file of a Chronicle Queue, as far as a reader of whole documents needs it; little-endian.
 *
 * <pre>
 *   0        4                  a multiple of 4
 *   | header | document | pad | header | document | pad | ... | header 0, or not complete: the end
 *
 *   header:  bit 31: not complete; bit 30: of the queue's own (the first one is); 29..0: bytes of the document
 * </pre>
 */
final class ChronicleFileDescriptor {
    static final String SUFFIX = ".cq4";
    /** Beside the files: tells a queue's directory. */
    static final String TABLE = "metadata.cq4t";

    static final int HEADER_BYTES = Integer.BYTES;
    static final int ALIGNMENT = Integer.BYTES;

    private static final int NOT_COMPLETE = 1 << 31;
    private static final int OWN = 1 << 30;
    private static final int LENGTH_MASK = OWN - 1;

    private ChronicleFileDescriptor() {}

    /** Nothing follows: nothing yet, or what a writer has not finished, or it is said that this is the end. */
    static boolean isEnd(final int header) {
        return header == 0 || (header & NOT_COMPLETE) != 0;
    }

    static boolean isOwn(final int header) {
        return (header & OWN) != 0;
    }

    static int length(final int header) {
        return header & LENGTH_MASK;
    }

    /** Bytes between a document of that length and the next header. */
    static int pad(final int length) {
        return -length & ALIGNMENT - 1;
    }
}
