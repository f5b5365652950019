package io.vhca.rdp;

/**
 * Hears that a socket may have become ready. It is called by whatever thread lets the driver work, inside the driver:
 * it only notes and wakes, and calls nothing of a socket.
 */
public interface ReadyListener {
    /** The socket may be readable or writable now, or a send in place has completed. */
    void onReady();
}
