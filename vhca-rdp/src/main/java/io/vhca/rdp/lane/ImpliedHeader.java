package io.vhca.rdp.lane;

/**
 * What a data message without a header means on one connection, in one direction: it goes on where the data message
 * before it ended. One thread at a time.
 */
public final class ImpliedHeader {
    private static final int NO_FLOW = -1;

    private int flowId = NO_FLOW;
    private long sequence;
    private byte flags;

    /** A session begins: no message was there before. */
    public void begin() {
        flowId = NO_FLOW;
    }

    /** A data message with that meaning was sent, or arrived. */
    public void goesOnAfter(final int lastFlowId, final long lastSequence, final byte lastFlags) {
        flowId = lastFlowId;
        sequence = lastSequence + 1;
        flags = lastFlags;
    }

    /** Whether that is what it means. */
    public boolean says(final int otherFlowId, final long otherSequence, final byte otherFlags) {
        return flowId == otherFlowId && sequence == otherSequence && flags == otherFlags;
    }

    /** False where it means nothing. */
    public boolean isKnown() {
        return flowId != NO_FLOW;
    }

    public int flowId() {
        return flowId;
    }

    public long sequence() {
        return sequence;
    }

    public byte flags() {
        return flags;
    }
}
