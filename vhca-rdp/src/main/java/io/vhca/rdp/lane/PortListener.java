package io.vhca.rdp.lane;

/** Hears of a socket, inside the engine: must not call back, only note and wake. */
public interface PortListener {
    /** A datagram can be received. */
    void onReadable();

    /** A send that was refused may be taken now. */
    void onWritable();

    /** A send in place is over. */
    void onCompleted();
}
