package io.vhca.bond.control;

import io.vhca.bond.link.QpIdentity;
import io.vhca.recovery.wire.SessionId;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** One message between two bonds, being written or read; {@link ControlMessageDescriptor} has the offsets. */
final class ControlMessage {
    private final UnsafeBuffer buffer;
    private final int length;

    private ControlMessage(final UnsafeBuffer buffer, final int length) {
        this.buffer = buffer;
        this.length = length;
    }

    /** A message to be written. */
    static ControlMessage of(final int type, final int value, final int length) {
        assert length >= ControlMessageDescriptor.BODY_OFFSET && length <= ControlMessageDescriptor.MAX_SIZE;
        return new ControlMessage(new UnsafeBuffer(new byte[length]), length)
                .putInt(ControlMessageDescriptor.TYPE_OFFSET, type)
                .putInt(ControlMessageDescriptor.VALUE_OFFSET, value);
    }

    /** A message without a body. */
    static ControlMessage of(final int type, final int value) {
        return of(type, value, ControlMessageDescriptor.BODY_OFFSET);
    }

    /** A message about one vQP, to be written. */
    static ControlMessage of(final int type, final QpIdentity identity) {
        return of(type, identity.peerQpNum(), ControlMessageDescriptor.QP_MESSAGE_SIZE)
                .putSession(identity.session());
    }

    /** A message that has arrived in native memory, for as long as that holds it. */
    static ControlMessage at(final long address, final int length) {
        return new ControlMessage(new UnsafeBuffer(address, length), length);
    }

    int type() {
        return getInt(ControlMessageDescriptor.TYPE_OFFSET);
    }

    /** What the second word means depends on the type. */
    int value() {
        return getInt(ControlMessageDescriptor.VALUE_OFFSET);
    }

    int length() {
        return length;
    }

    /**
     * Copies the message to where hardware reads it.
     *
     * @param signing null without a key
     * @return how long it is there
     */
    int copyTo(final long address, final @Nullable MessageProof signing) {
        final byte[] bytes = signing == null ? getBytes(0, length) : signed(signing);
        new UnsafeBuffer(address, bytes.length).putBytes(0, bytes);
        return bytes.length;
    }

    private byte[] signed(final MessageProof signing) {
        final ControlMessage said = new ControlMessage(new UnsafeBuffer(getBytes(0, length)), length);
        if (ControlMessageDescriptor.isOfQp(type())) {
            said.putSession(signing.shown(session()));
        }
        return signing.sign(said.getBytes(0, length));
    }

    /** The session that a message about one vQP names. */
    SessionId session() {
        return new SessionId(
                getLong(ControlMessageDescriptor.SESSION_HI_OFFSET),
                getLong(ControlMessageDescriptor.SESSION_LO_OFFSET));
    }

    private ControlMessage putSession(final SessionId session) {
        return putLong(ControlMessageDescriptor.SESSION_HI_OFFSET, session.hi())
                .putLong(ControlMessageDescriptor.SESSION_LO_OFFSET, session.lo());
    }

    ControlMessage putByte(final int offset, final int value) {
        buffer.putByte(offset, (byte) value);
        return this;
    }

    ControlMessage putBytes(final int offset, final byte[] bytes) {
        buffer.putBytes(offset, bytes);
        return this;
    }

    ControlMessage putInt(final int offset, final int value) {
        buffer.putInt(offset, value, ControlMessageDescriptor.ORDER);
        return this;
    }

    ControlMessage putLong(final int offset, final long value) {
        buffer.putLong(offset, value, ControlMessageDescriptor.ORDER);
        return this;
    }

    int getByte(final int offset) {
        return buffer.getByte(offset) & 0xFF;
    }

    byte[] getBytes(final int offset, final int count) {
        final byte[] bytes = new byte[count];
        buffer.getBytes(offset, bytes);
        return bytes;
    }

    int getInt(final int offset) {
        return buffer.getInt(offset, ControlMessageDescriptor.ORDER);
    }

    long getLong(final int offset) {
        return buffer.getLong(offset, ControlMessageDescriptor.ORDER);
    }
}
