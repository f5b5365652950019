package io.vhca.ras.trace;

import io.vhca.bond.trace.TraceEventDescriptor;
import io.vhca.bond.trace.TraceObject;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.agrona.concurrent.SystemEpochClock;
import org.agrona.concurrent.SystemNanoClock;

/** A process whose threads trace until it is killed: what {@link TraceFileTest} starts. */
final class TraceChild {
    static final String WRAPPED = "wrapped";
    static final List<String> THREADS = List.of("first", "second");

    private TraceChild() {}

    /** Argument: the file. */
    public static void main(final String[] args) throws IOException, InterruptedException {
        final TraceWriter writer = TraceWriter.create(
                FileChannel.open(
                        Path.of(args[0]), StandardOpenOption.CREATE_NEW, StandardOpenOption.READ,
                        StandardOpenOption.WRITE),
                "bond0", SystemEpochClock.INSTANCE, SystemNanoClock.INSTANCE);
        final CountDownLatch wrapped = new CountDownLatch(THREADS.size());
        THREADS.forEach(name -> new Thread(() -> trace(writer, wrapped), name).start());
        wrapped.await();
        System.out.println(WRAPPED);
    }

    private static void trace(final TraceWriter writer, final CountDownLatch wrapped) {
        for (long sequence = 1; ; sequence++) {
            writer.record(TraceEventDescriptor.POSTED_SEND, TraceObject.qp(1), sequence, 0, 0, ~sequence);
            if (sequence == 2 * TraceFileDescriptor.RECORDS) {
                wrapped.countDown();
            }
        }
    }
}
