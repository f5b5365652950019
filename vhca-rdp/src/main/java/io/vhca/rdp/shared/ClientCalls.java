package io.vhca.rdp.shared;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.api.WatchedTime;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;

/**
 * Calls of this process to the driver that it is attached to. A call waits for its answer, which stays to be read until
 * {@link #finish}. One thread at a time, which has the driver's lock.
 */
final class ClientCalls {
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(1);
    private static final int NOWHERE = -1;

    private final Attachment attachment;
    private final Sleepers sleepers;
    private final OneToOneRingBuffer calls;
    private final GuardedRing answers;
    private final ReceiveSlots slots;
    private final AddressBook addresses = new AddressBook();
    private long number;
    /** Where a call is being written. */
    private int writing = NOWHERE;
    /** A call was made whose answer is not read to its end. */
    private boolean isAsking;

    ClientCalls(final Attachment attachment, final Sleepers sleepers) {
        this.attachment = attachment;
        this.sleepers = sleepers;
        calls = attachment.region().callWriter();
        answers = attachment.region().answerReader();
        slots = attachment.region().slots();
    }

    Attachment attachment() {
        return attachment;
    }

    /** Of a datagram, the longest that fits. */
    int longest() {
        return attachment.terms().longest();
    }

    /** A call whose answer is a number. */
    long call(final CallVerb verb, final int socket, final long argument) {
        final long result = ask(verb, socket, argument);
        finish();
        return result;
    }

    /** A call whose answer has more than a number. */
    long ask(final CallVerb verb, final int socket, final long argument) {
        final int index = claim(verb, socket, argument, 0);
        return answer(verb, index);
    }

    /** A call about a destination. */
    long call(final CallVerb verb, final int socket, final InetSocketAddress to) {
        final long result = ask(verb, socket, to);
        finish();
        return result;
    }

    private long ask(final CallVerb verb, final int socket, final InetSocketAddress to) {
        final int index = claim(verb, socket, 0, 0);
        addresses.write(calls.buffer(), index + CallDescriptor.PORT_OFFSET, to);
        return answer(verb, index);
    }

    /** What the node of a destination calls it. */
    InetSocketAddress nameOf(final int socket, final InetSocketAddress to) {
        ask(CallVerb.NAME_OF, socket, to);
        final InetSocketAddress name = address();
        finish();
        return name;
    }

    /** Sends; the ordinal of what became of it. */
    int send(
            final int socket, final InetSocketAddress to, final DirectBuffer datagram, final int offset,
            final int lengthBytes) {
        final int index = claim(CallVerb.SEND, socket, 0, lengthBytes);
        addresses.write(calls.buffer(), index + CallDescriptor.PORT_OFFSET, to);
        calls.buffer().putBytes(index + CallDescriptor.SIZE, datagram, offset, lengthBytes);
        final int result = (int) answer(CallVerb.SEND, index);
        finish();
        return result;
    }

    /**
     * Ends the call before, where something was thrown out of it, as by the memory of its datagram. The driver waits
     * for the end of what was begun, and its next answer is the one to that.
     */
    private void endBroken(final CallVerb next) {
        if (writing != NOWHERE) {
            // In place of what it was to be it asks for something that changes nothing.
            calls.buffer().putInt(writing + CallDescriptor.VERB_OFFSET, CallVerb.PENDING.ordinal());
            make(writing);
        }
        if (isAsking) {
            await(next);
            finish();
        }
    }

    private int claim(final CallVerb verb, final int socket, final long argument, final int dataBytes) {
        endBroken(verb);
        final int index = calls.tryClaim(CallDescriptor.KIND, CallDescriptor.SIZE + dataBytes);
        if (index < 0) {
            throw broken("its ring has no room for a call");
        }
        writing = index;
        final MutableDirectBuffer buffer = calls.buffer();
        buffer.putLong(index + CallDescriptor.NUMBER_OFFSET, number + 1);
        buffer.putInt(index + CallDescriptor.VERB_OFFSET, verb.ordinal());
        buffer.putInt(index + CallDescriptor.SOCKET_OFFSET, socket);
        buffer.putLong(index + CallDescriptor.ARGUMENT_OFFSET, argument);
        buffer.putInt(index + CallDescriptor.PORT_OFFSET, 0);
        buffer.putInt(index + CallDescriptor.ADDRESS_BYTES_OFFSET, 0);
        return index;
    }

    private void make(final int index) {
        calls.commit(index);
        writing = NOWHERE;
        isAsking = true;
        number++;
        attachment.wakeDriver();
    }

    private long answer(final CallVerb verb, final int index) {
        make(index);
        await(verb);
        final int at = answers.offset();
        if (answers.length() < AnswerDescriptor.SIZE
                || answers.buffer().getLong(at + AnswerDescriptor.NUMBER_OFFSET) != number) {
            throw broken("what it answers is no answer to call " + number);
        }
        final long result = answers.buffer().getLong(at + AnswerDescriptor.RESULT_OFFSET);
        if (answers.kind() == AnswerDescriptor.FAILED) {
            final byte[] raw = new byte[answers.length() - AnswerDescriptor.SIZE];
            answers.buffer().getBytes(at + AnswerDescriptor.SIZE, raw);
            finish();
            throw failure(verb, (int) result, raw);
        }
        return result;
    }

    private void await(final CallVerb verb) {
        try {
            lookOrSleep(verb);
        } catch (final CorruptRingException e) {
            throw broken(String.valueOf(e.getMessage()));
        }
    }

    private void lookOrSleep(final CallVerb verb) {
        for (int looks = 0; !answers.next(); looks = Sleepers.next(looks)) {
            if (attachment.end() != null) {
                throw gone(verb.label());
            }
            if (!Sleepers.yields(looks)) {
                sleep(verb);
                return;
            }
        }
    }

    /** Until there is an answer. */
    private void sleep(final CallVerb verb) {
        final WatchedTime timeout = AnswerTimeout.begin(attachment.answerNs(), System.nanoTime());
        int word = sleepers.in(attachment);
        try {
            while (!answers.next()) {
                attachment.hearIfMine();
                if (attachment.end() == null && timeout.isOver(System.nanoTime())) {
                    attachment.end("has not answered for " + TimeUnit.NANOSECONDS.toMillis(attachment.answerNs())
                            + " ms, it is stopped or hangs");
                }
                if (attachment.end() != null) {
                    throw gone(verb.label());
                }
                sleepers.park(attachment, word, PATIENCE_NS);
                // Each wake-up took the bell away.
                word = sleepers.in(attachment);
            }
        } finally {
            sleepers.out();
        }
    }

    private static VerbsException failure(final CallVerb verb, final int errno, final byte[] raw) {
        final String text = new String(raw, StandardCharsets.UTF_8);
        final int end = Math.max(0, text.indexOf('\n'));
        return new VerbsException(verb.label(), errno, text.substring(0, end), text.substring(end).strip());
    }

    /** The driver's memory is none that it should be: this process leaves it. */
    private VerbsException broken(final String how) {
        attachment.end("was left, because " + how);
        return gone("call");
    }

    /** The driver is there no longer. */
    VerbsException gone(final String verb) {
        return new VerbsException(
                verb, Errno.ENOTCONN, "driver in process " + attachment.terms().pid(),
                "it " + attachment.end() + "; what was sent and not received yet may be lost. Calls go on when a shared"
                        + " driver is there again");
    }

    // Of the answer that is there.

    DirectBuffer buffer() {
        return answers.buffer();
    }

    /** Where the answer's datagram is. */
    int dataOffset() {
        return answers.offset() + AnswerDescriptor.SIZE;
    }

    int dataBytes() {
        return answers.length() - AnswerDescriptor.SIZE;
    }

    InetSocketAddress address() {
        try {
            return addresses.read(answers.buffer(), answers.offset() + AnswerDescriptor.PORT_OFFSET);
        } catch (final CorruptRingException e) {
            throw broken(String.valueOf(e.getMessage()));
        }
    }

    // Of what the driver has left for a socket.

    /** How long the datagram is that it has left; -1 where there is none. */
    int leftBytes(final int socket) {
        try {
            return slots.length(socket);
        } catch (final CorruptRingException e) {
            throw broken(String.valueOf(e.getMessage()));
        }
    }

    /** Takes it; who sent it. */
    InetSocketAddress takeLeft(final int socket, final ByteBuffer target, final int bytes) {
        try {
            final InetSocketAddress from = slots.source(socket, addresses);
            slots.copy(socket, target, bytes);
            slots.empty(socket);
            return from;
        } catch (final CorruptRingException e) {
            throw broken(String.valueOf(e.getMessage()));
        }
    }

    /** The answer is read. */
    void finish() {
        answers.done();
        isAsking = false;
    }
}
