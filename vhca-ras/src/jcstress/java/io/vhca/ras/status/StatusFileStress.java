package io.vhca.ras.status;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** The publication of a status file: a reader sees a part as it was written, or is told to read again. */
public final class StatusFileStress {
    private static final Arena ARENA = Arena.global();
    private static final int[] FIELDS = {
        StatusDescriptor.QPS_OFFSET,
        StatusDescriptor.FAILOVERS_OFFSET,
        StatusDescriptor.MIIMON_OFFSET,
        StatusDescriptor.failover(0) + StatusDescriptor.FAILOVER_REPLAY_OFFSET,
        StatusDescriptor.member(StatusDescriptor.MAX_MEMBERS - 1) + StatusDescriptor.MEMBER_FAILURES_OFFSET
    };

    /** One file serves all: it is written by one thread, and whatever was published last must be whole. */
    private static final StatusFile FILE = new StatusFile(
            ARENA,
            new UnsafeBuffer(
                    ARENA.allocate(StatusDescriptor.FILE_BYTES, 64).address(), StatusDescriptor.FILE_BYTES));

    private static long written;

    static {
        FILE.buffer().putInt(StatusDescriptor.VERSION_OFFSET, StatusDescriptor.VERSION);
        FILE.buffer().putLong(StatusDescriptor.MAGIC_OFFSET, StatusDescriptor.MAGIC);
    }

    private StatusFileStress() {}

    private static void read(final int offset, final byte[] into, final int lengthBytes) {
        FILE.buffer().getBytes(offset, into, 0, lengthBytes);
    }

    /** What a reader of the file sees; null where it is to look again. No actor may throw. */
    private static @Nullable StatusSnapshot copied() {
        try {
            return StatusSnapshot.copy(StatusFileStress::read);
        } catch (final IOException e) {
            throw new UncheckedIOException("memory has no end to run into", e);
        }
    }

    private static void writeFields() {
        written++;
        for (final int field : FIELDS) {
            FILE.buffer().putLong(field, written);
        }
    }

    /** One thread writes fields that lie far from each other, another copies the file. */
    @JCStressTest
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "a part as it was written")
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "it was being written: to be read again")
    @Outcome(expect = Expect.FORBIDDEN, desc = "some fields of one part and some of another")
    @State
    public static class WriteAndCopy {
        @Actor
        public void publisher() {
            FILE.write(StatusFileStress::writeFields);
        }

        @Actor
        public void reader(final I_Result result) {
            final StatusSnapshot copy = copied();
            if (copy == null) {
                return;
            }
            result.r1 = 1;
            for (final int field : FIELDS) {
                if (copy.getLong(field) != copy.getLong(FIELDS[0])) {
                    result.r1 = 2;
                }
            }
        }
    }
}
