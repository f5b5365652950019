package io.vhca.bond.queue;

/**
 * The first send of a vQP that failed for the application's own reason. Written inside the send CQ's gate or by the
 * control thread, read by the control thread once it was told.
 */
public final class SendError {
    private int status;
    private int vendorErr;
    private long sequence = -1;

    /** False when another one was first. */
    public boolean first(final long failed, final int why, final int vendor) {
        if (sequence >= 0) {
            return false;
        }
        status = why;
        vendorErr = vendor;
        sequence = failed;
        return true;
    }

    /** Of the send that failed, or -1. */
    public long sequence() {
        return sequence;
    }

    public int status() {
        return status;
    }

    public int vendorErr() {
        return vendorErr;
    }

    public void clear() {
        sequence = -1;
    }
}
