package io.vhca.rdp.shared;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.api.WatchedTime;
import io.vhca.rdp.unix.MemoryFile;
import io.vhca.rdp.unix.UnixConnector;
import io.vhca.rdp.unix.UnixPeer;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One time that this process is attached to a driver, until that ends or is left: the Unix domain socket and the shared
 * memory. It cannot be repaired, another one follows it. Its memory is given back when nobody uses it any more.
 */
final class Attachment {
    /** How often who waits for a place in the queue, or for an answer, is asked whether he goes on. */
    private static final long SLICE_MS = 20;

    private final SocketChannel channel;
    private final SharedRegion region;
    private final AttachDescriptor.Answer terms;
    private final long answerNs;
    private final ByteBuffer oneByte = ByteBuffer.allocateDirect(1);
    private final ByteBuffer heard = ByteBuffer.allocateDirect(64);
    private volatile @Nullable Thread hearer;
    private volatile @Nullable String end;
    private volatile Runnable atEnd = () -> {};

    private Attachment(
            final SocketChannel channel, final SharedRegion region, final AttachDescriptor.Answer terms,
            final long answerNs) {
        this.answerNs = answerNs;
        this.channel = channel;
        this.region = region;
        this.terms = terms;
    }

    /**
     * Attaches; a driver that does not answer is waited for as long as for the answer to a call.
     *
     * @throws VerbsException ENOTCONN where no driver is there, EPROTO where that cannot be told, else what it was
     *     refused for
     */
    static Attachment to(final String device) {
        return byClock(device, System::nanoTime);
    }

    /** The same by another clock, for a test of how long that is. */
    static Attachment byClock(final String device, final LongSupplier clock) {
        return to(device, answerNs -> {
            final WatchedTime timeout = AnswerTimeout.begin(answerNs, clock.getAsLong());
            return () -> timeout.isOver(clock.getAsLong());
        });
    }

    /**
     * Attaches; a driver that does not answer is waited for until the caller gives up. It is asked once: whoever comes
     * again and again fills the queue of one that is stopped.
     *
     * @param isGivenUp asked fifty times a second
     */
    static Attachment to(final String device, final BooleanSupplier isGivenUp) {
        return to(device, _ -> isGivenUp);
    }

    /** @param giveUp who gives up, by how long a call may take */
    private static Attachment to(final String device, final LongFunction<BooleanSupplier> giveUp) {
        try {
            final long answerNs = AnswerTimeout.ns();
            final BooleanSupplier isGivenUp = giveUp.apply(answerNs);
            final Path path = AttachPath.of(device);
            // Who has connected is to ask soon: others may need his place.
            UnixPeer.prepare();
            final SocketChannel channel = connect(device, path, isGivenUp);
            boolean isDone = false;
            try {
                AttachPath.check(path, UnixPeer.of(channel));
                final Attachment attached = ask(device, path, channel, answerNs, isGivenUp);
                isDone = true;
                return attached;
            } finally {
                if (!isDone) {
                    channel.close();
                }
            }
        } catch (final IOException | IllegalArgumentException e) {
            throw new VerbsException(
                    "attach", Errno.EPROTO, "driver of " + device, String.valueOf(e.getMessage()), e);
        }
    }

    /** Without a call that waits: where the queue of who listens is full it would without a limit. */
    private static SocketChannel connect(final String device, final Path path, final BooleanSupplier isGivenUp)
            throws IOException {
        SocketChannel channel = tryConnect(device, path);
        while (channel == null) {
            if (isGivenUp.getAsBoolean()) {
                throw new IOException("what listens at " + path + " takes nobody: its queue is full");
            }
            checkInterrupt();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(SLICE_MS));
            channel = tryConnect(device, path);
        }
        return channel;
    }

    /** No wait takes its time in a thread that is interrupted. */
    private static void checkInterrupt() throws IOException {
        if (Thread.currentThread().isInterrupted()) {
            throw new IOException("this thread was interrupted as it waited for the driver");
        }
    }

    private static @Nullable SocketChannel tryConnect(final String device, final Path path) throws IOException {
        final boolean wasMissing = isMissing(path);
        try {
            return UnixConnector.connect(path);
        } catch (final ConnectException e) {
            throw nobodyListens(device, path, e);
        } catch (final IOException e) {
            // A driver may have begun to listen, or have ended, since.
            if (wasMissing || isMissing(path)) {
                throw nobodyListens(device, path, e);
            }
            // A driver that lives may, which this process has no descriptor or no right to ask.
            throw new IOException(
                    "whether a shared driver listens at " + path + " cannot be told: " + e.getMessage(), e);
        }
    }

    private static boolean isMissing(final Path path) {
        return Files.notExists(path, LinkOption.NOFOLLOW_LINKS);
    }

    private static VerbsException nobodyListens(final String device, final Path path, final IOException e) {
        return new VerbsException(
                "attach", Errno.ENOTCONN, "driver of " + device,
                "no shared driver listens at " + path + " (" + e.getMessage()
                        + "); start `vhca rdp driver --device " + device + "`",
                e);
    }

    private static Attachment ask(
            final String device, final Path path, final SocketChannel channel, final long answerNs,
            final BooleanSupplier isGivenUp)
            throws IOException {
        channel.write(ByteBuffer.wrap(AttachDescriptor.request(AttachDescriptor.VERSION)));
        try (Selector selector = Selector.open()) {
            channel.register(selector, SelectionKey.OP_READ);
            while (selector.select(SLICE_MS) == 0) {
                if (isGivenUp.getAsBoolean()) {
                    throw new IOException("what listens at " + path + " does not answer");
                }
                checkInterrupt();
            }
        }
        final byte[] raw = new byte[AttachDescriptor.ANSWER_SIZE];
        final int memory = UnixPeer.receive(channel, raw);
        final AttachDescriptor.Answer terms = terms(device, raw, memory);
        if (memory < 0) {
            throw new IOException("what listens at " + path + " has sent no memory");
        }
        try (MemoryFile file = MemoryFile.open(memory, RegionDescriptor.size(terms.ringBytes()))) {
            return new Attachment(channel, SharedRegion.open(file, terms.ringBytes()), terms, answerNs);
        }
    }

    /** What was answered. The memory that came with what is no offer is given back. */
    private static AttachDescriptor.Answer terms(final String device, final byte[] raw, final int memory)
            throws IOException {
        boolean isOffer = false;
        try {
            final AttachDescriptor.Answer terms = AttachDescriptor.decode(raw);
            if (terms.errno() != 0) {
                throw new VerbsException("attach", terms.errno(), "driver of " + device, terms.text());
            }
            isOffer = true;
            return terms;
        } finally {
            if (!isOffer) {
                MemoryFile.giveBack(memory);
            }
        }
    }

    /** How long a call may take. */
    long answerNs() {
        return answerNs;
    }

    SharedRegion region() {
        return region;
    }

    /** What the driver said of itself. */
    AttachDescriptor.Answer terms() {
        return terms;
    }

    SocketChannel channel() {
        return channel;
    }

    /** Why it is over; null as long as it holds. */
    @Nullable String end() {
        return end;
    }

    /** The node's. */
    InetAddress address() {
        return terms.address();
    }

    /** This thread, the client's own, reads the socket from now on: nobody else hears that the driver has ended. */
    void isHeardHere() {
        hearer = Thread.currentThread();
    }

    /** In a call: where the caller is the thread that else sleeps at the socket, it looks there. */
    void hearIfMine() {
        if (Thread.currentThread() == hearer) {
            hear();
        }
    }

    /** Takes the bytes that rang, and learns that the driver has ended. The thread that {@link #isHeardHere} names. */
    void hear() {
        assert Thread.currentThread() == hearer : Thread.currentThread() + " reads what " + hearer + " waits for";
        try {
            if (channel.read(heard.clear()) < 0) {
                end("has ended");
            }
        } catch (final ClosedChannelException e) {
            end("was left");
        } catch (final IOException e) {
            end("has ended: " + e.getMessage());
        }
    }

    /** What the driver writes from now on is told by a byte. */
    void arm() {
        region.clientSleeps(RegionDescriptor.BY_BYTE);
    }

    /** What is done when it is over. */
    void onEnd(final Runnable job) {
        atEnd = job;
    }

    /** It is over. The first reason counts. */
    void end(final String why) {
        if (end == null) {
            end = why;
            // Threads that sleep there see it at once; the others are woken by the client's thread.
            region.wakeClient();
            atEnd.run();
        }
    }

    /** After a call was written: wakes the driver if it sleeps. One thread at a time. */
    void wakeDriver() {
        if (region.mustWakeDriver()) {
            try {
                channel.write(oneByte.clear());
            } catch (final IOException e) {
                end("its socket broke: " + e.getMessage());
            }
        }
    }
}
