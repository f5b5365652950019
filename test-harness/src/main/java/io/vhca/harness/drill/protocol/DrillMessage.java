package io.vhca.harness.drill.protocol;

import io.vhca.api.NativeMemory;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/**
 * Layout of a message of the drill, in the machine's own byte order: both ends are on one machine.
 *
 * <pre>
 *   0       4      8                16
 *   | magic | kind | sequence       | payload ...
 * </pre>
 *
 * DATA carries file bytes, END says that all were sent (sequence = how many DATA there were), VERDICT is the
 * receiver's answer, a {@link DrillLine} in UTF-8.
 */
public final class DrillMessage {
    static final int MAGIC_OFFSET = 0;
    static final int KIND_OFFSET = MAGIC_OFFSET + Integer.BYTES;
    static final int SEQUENCE_OFFSET = KIND_OFFSET + Integer.BYTES;
    public static final int HEADER_BYTES = SEQUENCE_OFFSET + Long.BYTES;

    public static final int DATA = 1;
    public static final int END = 2;
    static final int VERDICT = 3;

    private static final int MAGIC = 0x6472_6c31;

    static {
        if (HEADER_BYTES != 16) {
            throw new ExceptionInInitializerError("a drill header is 16 bytes, not " + HEADER_BYTES);
        }
    }

    private DrillMessage() {}

    public static void write(final long address, final int kind, final long sequence) {
        NativeMemory.putInt(address + MAGIC_OFFSET, MAGIC);
        NativeMemory.putInt(address + KIND_OFFSET, kind);
        NativeMemory.putLong(address + SEQUENCE_OFFSET, sequence);
    }

    /** The kind, or -1 for something that is no message of ours. */
    public static int kind(final long address, final int lengthBytes) {
        return lengthBytes < HEADER_BYTES || NativeMemory.getInt(address + MAGIC_OFFSET) != MAGIC
                ? -1
                : NativeMemory.getInt(address + KIND_OFFSET);
    }

    public static long sequence(final long address) {
        return NativeMemory.getLong(address + SEQUENCE_OFFSET);
    }

    /** Writes a VERDICT; its length in bytes. */
    public static int writeLine(final long address, final DrillLine line) {
        final byte[] text = line.encode().getBytes(StandardCharsets.UTF_8);
        write(address, VERDICT, 0);
        for (int i = 0; i < text.length; i++) {
            NativeMemory.putByte(address + HEADER_BYTES + i, text[i]);
        }
        return HEADER_BYTES + text.length;
    }

    /**
     * What a VERDICT says.
     *
     * @throws IllegalStateException when it is none, or garbled
     */
    public static DrillLine readLine(final long address, final int lengthBytes) {
        if (kind(address, lengthBytes) != VERDICT) {
            throw new IllegalStateException("the receiver sent something that is no verdict");
        }
        final byte[] text = NativeMemory.segment(address + HEADER_BYTES, lengthBytes - HEADER_BYTES)
                .toArray(ValueLayout.JAVA_BYTE);
        final DrillLine line = DrillLine.decode(new String(text, StandardCharsets.UTF_8));
        if (line == null) {
            throw new IllegalStateException("the receiver's verdict is garbled");
        }
        return line;
    }
}
