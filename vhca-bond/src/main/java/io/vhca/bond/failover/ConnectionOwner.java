package io.vhca.bond.failover;

/** The virtual CM id of a vQP. Control lock. */
public interface ConnectionOwner {
    /** Nobody: modifyQp alone brings the vQP up. */
    ConnectionOwner NONE = new ConnectionOwner() {
        @Override
        public void disconnected() {
            // nobody hears
        }

        @Override
        public void queuePairGone() {
            // nobody hears
        }
    };

    /** The connection ended: by either side's wish, or because the vQP failed. Called once, or more than once. */
    void disconnected();

    /** The vQP was destroyed, or moved to ERR or RESET: the connection has ended; where none stands yet, none comes. */
    void queuePairGone();
}
