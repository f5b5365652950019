package io.vhca.bond.wire;

import io.vhca.api.SendWrDescriptor;
import io.vhca.api.SgeDescriptor;

/**
 * Layout of a mark: the inline WRITE that follows a request into the peer's ledger word.
 *
 * <pre>
 *   0             128       144                    152        160  192
 *   | ibv_send_wr | ibv_sge | sequence + 1, big-e. | is given | pad |
 * </pre>
 */
public final class MarkDescriptor {
    static final int WR_OFFSET = 0;
    public static final int SGE_OFFSET = WR_OFFSET + SendWrDescriptor.SIZE;
    public static final int VALUE_OFFSET = SGE_OFFSET + SgeDescriptor.SIZE;
    /** 1 when the mark stands behind its request, as given to the hardware in use. */
    public static final int GIVEN_OFFSET = VALUE_OFFSET + Long.BYTES;

    public static final int SIZE = GIVEN_OFFSET + Long.BYTES + 63 & -64;

    static {
        if (SIZE != 192) {
            throw new ExceptionInInitializerError("a mark takes 192 bytes, not " + SIZE);
        }
    }

    private MarkDescriptor() {}
}
