package io.vhca.exs;

/** What an event completes. */
public enum EventKind {
    /** An accept; {@link ExsEvent#accepted} is the new socket. */
    ACCEPT,
    /** A connect. */
    CONNECT,
    /** A send or sendmsg: its memory is the caller's again. */
    SEND,
    /** A receive or recvmsg. */
    RECV,
    /** A poll; {@link ExsEvent#ready} is what it found. */
    POLL
}
