package io.vhca.ras.journal;

import io.vhca.recovery.JournalEvent;
import io.vhca.recovery.JournalKind;
import io.vhca.recovery.PathId;
import io.vhca.recovery.RecoveryState;
import io.vhca.recovery.wire.FailureReason;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Layout of a {@link JournalEvent} as bytes, big-endian. New fields go behind the last one.
 *
 * <pre>
 *   0              2         3      4      12            16     20      24     25    26    27       28
 *   | magic 0x564A | version | kind | time | session tag | vQPN | epoch | side | old | new | reason |
 *   28      32       36             44              52           56         60            61    62
 *   | local | remote | own received | peer received | negotiated | replayed | bond length | pad | note length |
 *   64
 *   | bond, UTF-8 | note, UTF-8 |
 * </pre>
 */
public final class JournalEventDescriptor {
    /** "VJ". */
    static final int MAGIC = 0x564A;

    static final int VERSION = 2;
    static final int MAX_BOND_LENGTH = 64;
    static final int MAX_NOTE_LENGTH = 1024;

    private static final ByteOrder ORDER = ByteOrder.BIG_ENDIAN;
    private static final int VERSION_OFFSET = Short.BYTES;
    private static final int KIND_OFFSET = VERSION_OFFSET + Byte.BYTES;
    private static final int TIME_OFFSET = KIND_OFFSET + Byte.BYTES;
    private static final int SESSION_TAG_OFFSET = TIME_OFFSET + Long.BYTES;
    private static final int VQP_NUM_OFFSET = SESSION_TAG_OFFSET + Integer.BYTES;
    private static final int EPOCH_OFFSET = VQP_NUM_OFFSET + Integer.BYTES;
    private static final int SIDE_OFFSET = EPOCH_OFFSET + Integer.BYTES;
    private static final int OLD_STATE_OFFSET = SIDE_OFFSET + Byte.BYTES;
    private static final int NEW_STATE_OFFSET = OLD_STATE_OFFSET + Byte.BYTES;
    private static final int REASON_OFFSET = NEW_STATE_OFFSET + Byte.BYTES;
    private static final int LOCAL_OFFSET = REASON_OFFSET + Byte.BYTES;
    private static final int REMOTE_OFFSET = LOCAL_OFFSET + Integer.BYTES;
    private static final int OWN_RECEIVED_OFFSET = REMOTE_OFFSET + Integer.BYTES;
    private static final int PEER_RECEIVED_OFFSET = OWN_RECEIVED_OFFSET + Long.BYTES;
    private static final int NEGOTIATED_OFFSET = PEER_RECEIVED_OFFSET + Long.BYTES;
    private static final int REPLAYED_OFFSET = NEGOTIATED_OFFSET + Integer.BYTES;
    private static final int BOND_LENGTH_OFFSET = REPLAYED_OFFSET + Integer.BYTES;
    private static final int PAD_OFFSET = BOND_LENGTH_OFFSET + Byte.BYTES;
    private static final int NOTE_LENGTH_OFFSET = PAD_OFFSET + Byte.BYTES;

    /** Bytes before the texts. */
    public static final int HEADER_SIZE = NOTE_LENGTH_OFFSET + Short.BYTES;

    /** The longest event. */
    public static final int MAX_SIZE = HEADER_SIZE + MAX_BOND_LENGTH + MAX_NOTE_LENGTH;

    static {
        if (HEADER_SIZE != 64) {
            throw new ExceptionInInitializerError("a journal event without texts has " + HEADER_SIZE + " bytes");
        }
    }

    private JournalEventDescriptor() {}

    /** The bond's name, cut to what fits. */
    public static byte[] bondBytes(final JournalEvent event) {
        return cut(event.bond(), MAX_BOND_LENGTH);
    }

    /** The note, cut to what fits. */
    public static byte[] noteBytes(final JournalEvent event) {
        return cut(event.note(), MAX_NOTE_LENGTH);
    }

    private static byte[] cut(final String text, final int maxLength) {
        final byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return bytes.length <= maxLength ? bytes : Arrays.copyOf(bytes, maxLength);
    }

    /** Writes an event and its two texts: {@link #HEADER_SIZE} bytes and those of the texts. */
    public static void encode(final MutableDirectBuffer buffer, final int offset, final JournalEvent event,
            final byte[] bond, final byte[] note) {
        buffer.putShort(offset, (short) MAGIC, ORDER);
        buffer.putByte(offset + VERSION_OFFSET, (byte) VERSION);
        buffer.putByte(offset + KIND_OFFSET, (byte) event.kind().code());
        buffer.putLong(offset + TIME_OFFSET, event.timeNs(), ORDER);
        buffer.putInt(offset + SESSION_TAG_OFFSET, event.sessionTag(), ORDER);
        buffer.putInt(offset + VQP_NUM_OFFSET, event.vQpNum(), ORDER);
        buffer.putInt(offset + EPOCH_OFFSET, event.epoch(), ORDER);
        buffer.putByte(offset + SIDE_OFFSET, (byte) event.side());
        buffer.putByte(offset + OLD_STATE_OFFSET, (byte) event.oldState().code());
        buffer.putByte(offset + NEW_STATE_OFFSET, (byte) event.newState().code());
        buffer.putByte(offset + REASON_OFFSET, (byte) event.reason().code());
        buffer.putInt(offset + LOCAL_OFFSET, event.path().localMember(), ORDER);
        buffer.putInt(offset + REMOTE_OFFSET, event.path().remoteAddress(), ORDER);
        buffer.putLong(offset + OWN_RECEIVED_OFFSET, event.ownReceived(), ORDER);
        buffer.putLong(offset + PEER_RECEIVED_OFFSET, event.peerReceived(), ORDER);
        buffer.putInt(offset + NEGOTIATED_OFFSET, event.negotiated(), ORDER);
        buffer.putInt(offset + REPLAYED_OFFSET, event.replayed(), ORDER);
        buffer.putByte(offset + BOND_LENGTH_OFFSET, (byte) bond.length);
        buffer.putByte(offset + PAD_OFFSET, (byte) 0);
        buffer.putShort(offset + NOTE_LENGTH_OFFSET, (short) note.length, ORDER);
        buffer.putBytes(offset + HEADER_SIZE, bond);
        buffer.putBytes(offset + HEADER_SIZE + bond.length, note);
    }

    /** The event, or null where the bytes are none that this version can read. Never throws. */
    public static @Nullable JournalEvent decode(final DirectBuffer buffer, final int offset, final int length) {
        if (length < HEADER_SIZE || (buffer.getShort(offset, ORDER) & 0xFFFF) != MAGIC
                || buffer.getByte(offset + VERSION_OFFSET) != VERSION) {
            return null;
        }
        final int bondLength = buffer.getByte(offset + BOND_LENGTH_OFFSET) & 0xFF;
        final int noteLength = buffer.getShort(offset + NOTE_LENGTH_OFFSET, ORDER) & 0xFFFF;
        final JournalKind kind = JournalKind.fromCode(buffer.getByte(offset + KIND_OFFSET) & 0xFF);
        final RecoveryState oldState = RecoveryState.fromCode(buffer.getByte(offset + OLD_STATE_OFFSET) & 0xFF);
        final RecoveryState newState = RecoveryState.fromCode(buffer.getByte(offset + NEW_STATE_OFFSET) & 0xFF);
        if (kind == null || oldState == null || newState == null || HEADER_SIZE + bondLength + noteLength > length) {
            return null;
        }
        return new JournalEvent(
                buffer.getLong(offset + TIME_OFFSET, ORDER),
                text(buffer, offset + HEADER_SIZE, bondLength),
                buffer.getInt(offset + VQP_NUM_OFFSET, ORDER),
                buffer.getInt(offset + SESSION_TAG_OFFSET, ORDER),
                buffer.getInt(offset + EPOCH_OFFSET, ORDER),
                buffer.getByte(offset + SIDE_OFFSET),
                kind,
                oldState,
                newState,
                FailureReason.fromCode(buffer.getByte(offset + REASON_OFFSET) & 0xFF),
                buffer.getLong(offset + OWN_RECEIVED_OFFSET, ORDER),
                buffer.getLong(offset + PEER_RECEIVED_OFFSET, ORDER),
                buffer.getInt(offset + NEGOTIATED_OFFSET, ORDER),
                buffer.getInt(offset + REPLAYED_OFFSET, ORDER),
                new PathId(buffer.getInt(offset + LOCAL_OFFSET, ORDER), buffer.getInt(offset + REMOTE_OFFSET, ORDER)),
                text(buffer, offset + HEADER_SIZE + bondLength, noteLength));
    }

    private static String text(final DirectBuffer buffer, final int offset, final int length) {
        final byte[] bytes = new byte[length];
        buffer.getBytes(offset, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
