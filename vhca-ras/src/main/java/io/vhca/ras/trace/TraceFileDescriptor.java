package io.vhca.ras.trace;

import org.agrona.BitUtil;

/**
 * Layout of a trace file, in the byte order of the machine:
 *
 * <pre>
 *   0        +--------------------------------------+
 *            | header: magic (written last),        |
 *            | version, pid, clocks, bond           |
 *   4096     +--------------------------------------+
 *            | ring 0: tail, clock, thread and name |   {@value #RINGS} rings; a thread writes to the one
 *            |         {@value #RECORDS} records of 64 bytes      |   of its id, mostly alone
 *            +--------------------------------------+
 *            | ring 1 ...                           |
 *
 *   a record
 *   0        8        16       20       24       32                            64
 *   +--------+--------+--------+--------+--------+------+------+------+------+
 *   |sequence|  time  | thread | event  | object |    four words             |
 *   +--------+--------+--------+--------+--------+------+------+------+------+
 * </pre>
 *
 * <p>The sequence of a record is one more than the tail was when it was claimed, and is written last; 0 says that it is
 * being written. Record n lies at n modulo {@value #RECORDS}, so a record at another place is none. A time is that of
 * {@code System.nanoTime}; of a record of the data path it may be that of the record before in its ring, and is
 * negated then.
 */
final class TraceFileDescriptor {
    /** "VHCATRAC". */
    static final long MAGIC = 0x4341_5254_4143_4856L;

    static final int VERSION = 1;
    static final int RINGS = 32;
    static final int RECORDS = 2_048;

    static final int MAGIC_OFFSET = 0;
    static final int VERSION_OFFSET = MAGIC_OFFSET + Long.BYTES;
    static final int PID_OFFSET = VERSION_OFFSET + Long.BYTES;
    /** Two clocks at one moment: milliseconds since 1970, and the time of the records. */
    static final int EPOCH_MS_OFFSET = PID_OFFSET + Long.BYTES;
    static final int NANO_TIME_OFFSET = EPOCH_MS_OFFSET + Long.BYTES;
    static final int NAME_OFFSET = NANO_TIME_OFFSET + Long.BYTES;
    static final int NAME_BYTES = 64;
    /** {@link Boot#id}; 0 where that is not known, and in files of releases without this field. */
    static final int BOOT_OFFSET = NAME_OFFSET + NAME_BYTES;
    /** {@link io.vhca.api.ProcessLife#start} of the process; 0 where that is not known, as above. */
    static final int PROCESS_START_OFFSET = BOOT_OFFSET + Long.BYTES;
    static final int HEADER_BYTES = 4_096;

    static final int TAIL_OFFSET = 0;
    /** When the ring's thread has looked at the clock last. */
    static final int CLOCK_OFFSET = TAIL_OFFSET + Long.BYTES;
    /** The first thread that wrote to the ring; its name is there once its length is. */
    static final int THREAD_OFFSET = CLOCK_OFFSET + Long.BYTES;
    static final int THREAD_NAME_OFFSET = THREAD_OFFSET + Long.BYTES;
    static final int THREAD_NAME_BYTES = 40;
    static final int RING_HEADER_BYTES = BitUtil.CACHE_LINE_LENGTH * 2;

    static final int SEQUENCE_OFFSET = 0;
    static final int TIME_OFFSET = SEQUENCE_OFFSET + Long.BYTES;
    static final int RECORD_THREAD_OFFSET = TIME_OFFSET + Long.BYTES;
    static final int EVENT_OFFSET = RECORD_THREAD_OFFSET + Integer.BYTES;
    static final int OBJECT_OFFSET = EVENT_OFFSET + Integer.BYTES;
    static final int WORDS_OFFSET = OBJECT_OFFSET + Long.BYTES;
    static final int WORDS = 4;
    static final int RECORD_BYTES = WORDS_OFFSET + WORDS * Long.BYTES;

    static final int RING_BYTES = RING_HEADER_BYTES + RECORDS * RECORD_BYTES;
    static final int FILE_BYTES = HEADER_BYTES + RINGS * RING_BYTES;

    static {
        if (RECORD_BYTES != 64 || THREAD_NAME_OFFSET + THREAD_NAME_BYTES > RING_HEADER_BYTES
                || PROCESS_START_OFFSET + Long.BYTES > HEADER_BYTES || !BitUtil.isPowerOfTwo(RINGS)
                || !BitUtil.isPowerOfTwo(RECORDS)) {
            throw new ExceptionInInitializerError("the layout of a trace file is wrong");
        }
    }

    private TraceFileDescriptor() {}

    static int ring(final int index) {
        return HEADER_BYTES + index * RING_BYTES;
    }
}
