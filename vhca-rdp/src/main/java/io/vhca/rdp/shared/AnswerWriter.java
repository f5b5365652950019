package io.vhca.rdp.shared;

import io.vhca.api.VerbsException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;

/** Writes the answers to a client, one a call. The server's thread. */
final class AnswerWriter {
    /** Where the message of an exception says what was wrong. */
    private static final String HEAD_END = "): ";

    private final OneToOneRingBuffer ring;
    private final AddressBook addresses;
    private final UnsafeBuffer text = new UnsafeBuffer(0, 0);
    private long number;

    AnswerWriter(final OneToOneRingBuffer ring, final AddressBook addresses) {
        this.ring = ring;
        this.addresses = addresses;
    }

    /** How many bytes may follow an answer. */
    int room() {
        return ring.maxMsgLength() - AnswerDescriptor.SIZE;
    }

    /** The call that is answered next. */
    void begin(final long call) {
        number = call;
    }

    void done(final long result) {
        ring.commit(claim(AnswerDescriptor.DONE, result, 0));
    }

    void done(final long result, final InetSocketAddress address) {
        final int index = claim(AnswerDescriptor.DONE, result, 0);
        addresses.write(ring.buffer(), index + AnswerDescriptor.PORT_OFFSET, address);
        ring.commit(index);
    }

    void datagram(
            final int lengthBytes, final InetSocketAddress from, final DirectBuffer datagram, final int copyBytes) {
        final int index = claim(AnswerDescriptor.DONE, lengthBytes, copyBytes);
        addresses.write(ring.buffer(), index + AnswerDescriptor.PORT_OFFSET, from);
        ring.buffer().putBytes(index + AnswerDescriptor.SIZE, datagram, 0, copyBytes);
        ring.commit(index);
    }

    /** What the call failed for: object and detail, a line each. */
    void failed(final VerbsException e) {
        final String message = String.valueOf(e.getMessage());
        final String detail = message.substring(message.indexOf(HEAD_END) + HEAD_END.length());
        final byte[] raw = (e.object() + '\n' + detail).getBytes(StandardCharsets.UTF_8);
        final int bytes = Math.min(raw.length, room());
        final int index = claim(AnswerDescriptor.FAILED, e.errno(), bytes);
        text.wrap(raw);
        ring.buffer().putBytes(index + AnswerDescriptor.SIZE, text, 0, bytes);
        ring.commit(index);
    }

    private int claim(final int kind, final long result, final int more) {
        final int index = ring.tryClaim(kind, AnswerDescriptor.SIZE + more);
        if (index < 0) {
            // A client reads an answer before it calls again: there is room for one.
            throw new CorruptRingException("its ring has no room for an answer");
        }
        final AtomicBuffer buffer = ring.buffer();
        buffer.putLong(index + AnswerDescriptor.NUMBER_OFFSET, number);
        buffer.putLong(index + AnswerDescriptor.RESULT_OFFSET, result);
        buffer.putInt(index + AnswerDescriptor.PORT_OFFSET, 0);
        buffer.putInt(index + AnswerDescriptor.ADDRESS_BYTES_OFFSET, 0);
        return index;
    }
}
