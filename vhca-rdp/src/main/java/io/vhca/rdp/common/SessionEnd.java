package io.vhca.rdp.common;

/** Why the last session with another node ended. */
public enum SessionEnd {
    /** None has. */
    NONE("-"),
    CLOSED("this driver was closed"),
    REPLACED("a later call of that node took its place"),
    DISCONNECTED("that node closed a connection, or its device did"),
    NOT_CONNECTED("it could not be called: refused, no path, or no device"),
    NO_RECV_MEMORY("there was no memory for its receives: raise MaxRecvMemory, or what the host lets a process lock"),
    NO_COMPLETIONS("the device has no completion queue that is large enough for one node more, or is gone"),
    CONNECT_TIMEOUT("it was not connected within ConnectTimeout"),
    SILENT("it said nothing for NodeTimeout"),
    POST_FAILED("the device refused a send or a receive"),
    FOREIGN("it sent what breaks the rules");

    private final String text;

    SessionEnd(final String text) {
        this.text = text;
    }

    /** In words, for people. */
    public String text() {
        return text;
    }
}
