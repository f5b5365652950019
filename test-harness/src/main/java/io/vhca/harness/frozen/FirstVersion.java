package io.vhca.harness.frozen;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Version 1 of the records between bonds, frozen. It reads and writes them by a table of its own, knows no class of the
 * product, and never changes.
 */
public final class FirstVersion {
    private static final int NUMBER = 1;
    private static final int MAGIC = 0x5648;
    private static final int MARK = 0x80;
    private static final int PREFIX = 4;
    private static final int MAX_REQ = 56;
    private static final int LIST = 60;

    private static final int REPLY = 6;
    private static final int REJECT = 7;
    private static final Map<Integer, List<Field>> KINDS = kinds();

    private FirstVersion() {}

    /** A number in a record; of those behind the prefix one follows the other. */
    private record Field(String name, int size) {}

    /**
     * One record.
     *
     * @param type     as the prefix has it, without the mark of a proof
     * @param isSealed whether a proof is in it
     * @param fields   the numbers, by name
     * @param rest     what follows them: application data, a list of members, a proof
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Read(int type, boolean isSealed, Map<String, Long> fields, byte[] rest) {
        /** One of the numbers. */
        public long field(final String name) {
            final Long value = fields.get(name);
            if (value == null) {
                throw new IllegalArgumentException("a record of type " + type + " has no " + name);
            }
            return value;
        }
    }

    private static Map<Integer, List<Field>> kinds() {
        final List<Field> connect = fields("hi 8", "lo 8", "sender 4");
        final List<Field> session = fields(
                "reserved 2", "reason 2", "hi 8", "lo 8", "sender 4", "target 4", "epoch 4", "answer 4", "received 8",
                "ledger 8");
        final List<Field> outOfBand = fields(
                "reserved 2", "reason 2", "hi 8", "lo 8", "sender 4", "target 4", "epoch 4", "answer 4", "received 8",
                "instance 8");
        final Map<Integer, List<Field>> kinds = new LinkedHashMap<>();
        kinds.put(1, connect);
        kinds.put(2, session);
        kinds.put(3, session);
        kinds.put(4, outOfBand);
        kinds.put(5, connect);
        kinds.put(REPLY, fields(
                "hi 8", "lo 8", "sender 4", "instance 8", "epoch 4", "received 8", "ledger 8", "reserved 2",
                "members 1", "length 1"));
        kinds.put(REJECT, fields("code 2", "length 1", "reserved 1", "hi 8", "lo 8", "epoch 4"));
        kinds.put(8, connect);
        kinds.put(9, fields("instance 8", "sender 4", "flags and pQPN 4", "members and target 4"));
        return kinds;
    }

    private static List<Field> fields(final String... texts) {
        return Arrays.stream(texts)
                .map(text -> new Field(
                        text.substring(0, text.lastIndexOf(' ')),
                        Integer.parseInt(text.substring(text.lastIndexOf(' ') + 1))))
                .toList();
    }

    private static int size(final List<Field> fields) {
        return PREFIX + fields.stream().mapToInt(Field::size).sum();
    }

    /** Whether bytes are a bond's record, of whatever version. */
    public static boolean isRecord(final byte[] data) {
        return data.length >= PREFIX && (ByteBuffer.wrap(data).getShort() & 0xFFFF) == MAGIC && data[2] != 0;
    }

    /** The version of a record's writer. */
    public static int version(final byte[] record) {
        return record[2] & 0xFF;
    }

    /** What version 1 reads in a record, be it newer; null where it is none to it. */
    public static @Nullable Read read(final byte[] data) {
        if (!isRecord(data)) {
            return null;
        }
        final boolean isSealed = (data[3] & MARK) != 0;
        final int type = data[3] & ~MARK & 0xFF;
        final List<Field> fields = KINDS.get(type);
        if (fields == null || data.length < size(fields)) {
            return null;
        }
        final ByteBuffer buffer = ByteBuffer.wrap(data).position(PREFIX);
        final Map<String, Long> values = new LinkedHashMap<>();
        for (final Field field : fields) {
            values.put(field.name, number(buffer, field.size));
        }
        if (!isSealed) {
            values.computeIfPresent("reserved", (name, value) -> 0L);
        }
        final int rest = rest(type, values, buffer.remaining());
        if (rest > buffer.remaining()) {
            return null;
        }
        final byte[] behind = new byte[rest];
        buffer.get(behind);
        return new Read(type, isSealed, values, behind);
    }

    /** How much of what follows the numbers is version 1's. */
    private static int rest(final int type, final Map<String, Long> values, final int there) {
        return switch (type) {
            case 2, 3, 4 -> 0;
            case REPLY -> LIST + Math.toIntExact(values.getOrDefault("length", 0L));
            case REJECT -> Math.toIntExact(values.getOrDefault("length", 0L));
            default -> there;
        };
    }

    private static long number(final ByteBuffer buffer, final int size) {
        long value = 0;
        for (int i = 0; i < size; i++) {
            value = value << Byte.SIZE | buffer.get() & 0xFF;
        }
        return value;
    }

    /** The record as version 1 writes it. */
    public static byte[] write(final Read record) {
        final List<Field> fields = KINDS.get(record.type);
        if (fields == null) {
            throw new IllegalArgumentException("version 1 has no record of type " + record.type);
        }
        final ByteBuffer buffer = ByteBuffer.allocate(size(fields) + record.rest.length)
                .putShort((short) MAGIC)
                .put((byte) NUMBER)
                .put((byte) (record.isSealed ? record.type | MARK : record.type));
        for (final Field field : fields) {
            for (int i = field.size - 1; i >= 0; i--) {
                buffer.put((byte) (record.field(field.name) >>> i * Byte.SIZE));
            }
        }
        return buffer.put(record.rest).array();
    }

    /**
     * What is wrong with a record that a bond of version 1 is said to have sent; null where it is, byte for byte, one
     * of version 1.
     */
    public static @Nullable String faultOf(final byte[] sent) {
        final Read read = read(sent);
        if (read == null) {
            return "version 1 cannot read it";
        }
        if (sent.length > MAX_REQ && read.type != REPLY && read.type != REJECT && read.type != 9) {
            return "it is longer than a REQ may be";
        }
        return Arrays.equals(write(read), sent) ? null : "version 1 would have written " + Arrays.toString(write(read));
    }
}
