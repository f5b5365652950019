package io.vhca.harness.sim;

/** What faults act upon besides packets. */
interface FaultTarget {
    /** Plugs or unplugs a port. */
    void portUp(long nowNs, Side side, int member, boolean isUp);

    /** Loses or passes all that a port sends. */
    void blockTransmit(Side side, int member, boolean isBlocked);

    /** An operator takes a member out of use, or back into it. */
    void drain(Side side, int member, boolean isDrained);

    /** An operator removes a member from the bond, or adds it again. */
    void remove(Side side, int member, boolean isRemoved);

    /** An operator makes a member the active one. */
    void activate(Side side, int member);

    /** The senders that a device has now hang for good, silently; those made later work. */
    void hangSenders(Side side, int member);

    /** What a device is sending now fails with a local error, its port being up. */
    void failSenders(Side side, int member);

    /** A device's GID moves to the next place in its table. */
    void moveGid(Side side, int member);

    /** The MTU of a port is the smallest, or again what it was. */
    void shrinkMtu(Side side, int member, boolean isSmall);

    void killDevice(long nowNs, Side side, int member);

    /** A device that was killed is there again. */
    void reviveDevice(long nowNs, Side side, int member);

    void killProcess(long nowNs, Side side);

    /** A process that was killed is started again, without its application. */
    void restartProcess(long nowNs, Side side);
}
