package io.vhca.bond.control;

import io.vhca.bond.wire.QpNumDescriptor;
import java.nio.ByteOrder;

/**
 * Layout of the messages that two bonds send each other over a {@link ControlLink}. Big-endian.
 *
 * <pre>
 *   0      4       8
 *   | type | value | body
 *
 *   HELLO        value: how many members   body: for each of them (index u8, length u8, address)
 *   ASK_KEY      value: a virtual key
 *   KEYS         value: a virtual key      body: how many members u32, for each (generation u32, rkey u32)
 *   REVOKE       value: a virtual key, deregistered
 *   NOT_KNOWN    value: the type of a message that was not understood
 *
 *   of one vQP, which is the receiver's own:
 *   0      4      8              24
 *   | type | vQPN | session (16) | body
 *
 *   ASK_WORD
 *   WORD         body: address u64, virtual key u32
 *   ASK_ATOMIC   body: sequence u64, opcode u32, virtual key u32, address u64, compare or add u64, swap u64
 *   ATOMIC_DONE  body: sequence u64, status u32, unused u32, value before u64
 *   SESSION      whose bond it is says so
 *   ASK_COUNTS
 *   COUNTS       body: received u64, ledger u64
 * </pre>
 */
final class ControlMessageDescriptor {
    static final ByteOrder ORDER = ByteOrder.BIG_ENDIAN;

    static final int HELLO = 1;
    static final int ASK_KEY = 2;
    static final int KEYS = 3;
    static final int ASK_WORD = 4;
    static final int WORD = 5;
    static final int ASK_ATOMIC = 6;
    static final int ATOMIC_DONE = 7;
    static final int ASK_COUNTS = 8;
    static final int COUNTS = 9;
    static final int REVOKE = 10;
    static final int SESSION = 11;
    /** The last type of version 1. */
    static final int LAST_OF_FIRST = SESSION;
    /** Since version 2. */
    static final int NOT_KNOWN = 12;

    static final int TYPE_OFFSET = 0;
    static final int VALUE_OFFSET = TYPE_OFFSET + Integer.BYTES;
    static final int BODY_OFFSET = VALUE_OFFSET + Integer.BYTES;

    /** Of a member in a HELLO, from where it begins. */
    static final int MEMBER_INDEX_OFFSET = 0;
    static final int ADDRESS_LENGTH_OFFSET = MEMBER_INDEX_OFFSET + Byte.BYTES;
    static final int ADDRESS_OFFSET = ADDRESS_LENGTH_OFFSET + Byte.BYTES;
    private static final int IPV4_LENGTH = 4;
    private static final int IPV6_LENGTH = 16;

    static final int KEY_COUNT_OFFSET = BODY_OFFSET;
    static final int FIRST_KEY_OFFSET = KEY_COUNT_OFFSET + Integer.BYTES;
    /** Of a key in KEYS, from where it begins. */
    static final int KEY_GENERATION_OFFSET = 0;
    static final int RKEY_OFFSET = KEY_GENERATION_OFFSET + Integer.BYTES;
    static final int KEY_SIZE = RKEY_OFFSET + Integer.BYTES;

    static final int QP_NUM_OFFSET = VALUE_OFFSET;
    static final int SESSION_HI_OFFSET = BODY_OFFSET;
    static final int SESSION_LO_OFFSET = SESSION_HI_OFFSET + Long.BYTES;
    static final int QP_BODY_OFFSET = SESSION_LO_OFFSET + Long.BYTES;

    static final int WORD_ADDRESS_OFFSET = QP_BODY_OFFSET;
    static final int WORD_KEY_OFFSET = WORD_ADDRESS_OFFSET + Long.BYTES;

    static final int SEQUENCE_OFFSET = QP_BODY_OFFSET;
    static final int OPCODE_OFFSET = SEQUENCE_OFFSET + Long.BYTES;
    static final int ATOMIC_KEY_OFFSET = OPCODE_OFFSET + Integer.BYTES;
    static final int ATOMIC_ADDRESS_OFFSET = ATOMIC_KEY_OFFSET + Integer.BYTES;
    static final int COMPARE_ADD_OFFSET = ATOMIC_ADDRESS_OFFSET + Long.BYTES;
    static final int SWAP_OFFSET = COMPARE_ADD_OFFSET + Long.BYTES;

    static final int STATUS_OFFSET = SEQUENCE_OFFSET + Long.BYTES;
    static final int BEFORE_OFFSET = STATUS_OFFSET + 2 * Integer.BYTES;

    static final int RECEIVED_OFFSET = QP_BODY_OFFSET;
    static final int LEDGER_OFFSET = RECEIVED_OFFSET + Long.BYTES;

    /** Every message of one vQP has this size. */
    static final int QP_MESSAGE_SIZE = SWAP_OFFSET + Long.BYTES;
    /** What the largest message takes: a HELLO of all members there can be, with IPv6 addresses, and its proof. */
    static final int MAX_SIZE = 296 + MessageProof.SIZE;

    static {
        final int hello = BODY_OFFSET + QpNumDescriptor.MAX_MEMBERS * (ADDRESS_OFFSET + IPV6_LENGTH);
        final int keys = FIRST_KEY_OFFSET + QpNumDescriptor.MAX_MEMBERS * KEY_SIZE;
        final int most = MAX_SIZE - MessageProof.SIZE;
        if (hello > most || keys > most || MAX_SIZE % 64 != 0 || QP_MESSAGE_SIZE != 64) {
            throw new ExceptionInInitializerError("control messages take " + hello + ", " + keys + " and "
                    + QP_MESSAGE_SIZE + " bytes");
        }
    }

    private ControlMessageDescriptor() {}

    static boolean isAddressLength(final int bytes) {
        return bytes == IPV4_LENGTH || bytes == IPV6_LENGTH;
    }

    /** Whether a message has at least what version 1 has of its type; what follows is of a newer version. */
    static boolean isWhole(final ControlMessage message) {
        if (message.length() < BODY_OFFSET) {
            return false;
        }
        final int type = message.type();
        final int least = isOfQp(type) ? QP_MESSAGE_SIZE : type == KEYS ? FIRST_KEY_OFFSET : BODY_OFFSET;
        return message.length() >= least;
    }

    /** Whether a message of that type is of one vQP. */
    static boolean isOfQp(final int type) {
        return type >= ASK_WORD && type <= COUNTS || type == SESSION;
    }
}
