package io.vhca.rdp.wire;

/**
 * What both ends of a connection say of themselves in the private data of connect and accept. All fields are
 * big-endian. 32 bytes, which is what a bond without a key leaves to applications; {@link BriefHelloDescriptor} is what
 * there is room for beside a key.
 *
 * <pre>
 *    0       2         3       4         5            6         8
 *    | magic | version | class | classes | size shift | credits | session |
 *   12                14         16            32
 *    | control credits | features | address |
 * </pre>
 *
 * Features are bits: 1 where this end reads batches; 2 where who calls has not heard yet what the other end calls
 * itself, so he may have called one that he is connected to by another name. Those that nobody knows are zero, and
 * ignored.
 *
 * <p>The private data of a reject; it may end before the name, or have zeros there.
 *
 * <pre>
 *    0       2         3        4      20
 *    | magic | version | reason | name |
 * </pre>
 */
final class HelloDescriptor {
    static final int MAGIC_OFFSET = 0;
    static final int VERSION_OFFSET = MAGIC_OFFSET + Short.BYTES;
    static final int CLASS_OFFSET = VERSION_OFFSET + Byte.BYTES;
    static final int CLASSES_OFFSET = CLASS_OFFSET + Byte.BYTES;
    static final int SIZE_SHIFT_OFFSET = CLASSES_OFFSET + Byte.BYTES;
    static final int CREDITS_OFFSET = SIZE_SHIFT_OFFSET + Byte.BYTES;
    static final int SESSION_OFFSET = CREDITS_OFFSET + Short.BYTES;
    static final int CONTROL_CREDITS_OFFSET = SESSION_OFFSET + Integer.BYTES;
    static final int FEATURES_OFFSET = CONTROL_CREDITS_OFFSET + Short.BYTES;
    static final int ADDRESS_OFFSET = FEATURES_OFFSET + Short.BYTES;
    static final int ADDRESS_SIZE = 16;
    static final int SIZE = ADDRESS_OFFSET + ADDRESS_SIZE;

    static final int READS_BATCHES = 1;
    static final int ASKS_NAME = 2;

    static final int REASON_OFFSET = VERSION_OFFSET + Byte.BYTES;
    static final int NAME_OFFSET = REASON_OFFSET + Byte.BYTES;
    static final int REJECT_SIZE = NAME_OFFSET + ADDRESS_SIZE;

    static {
        MessageDescriptor.checkSize("hello", SIZE, 32);
        MessageDescriptor.checkSize("reject", REJECT_SIZE, 20);
    }

    private HelloDescriptor() {}
}
