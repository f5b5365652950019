package io.vhca.exs;

import org.jspecify.annotations.Nullable;

/** What kind of socket: how what is sent is cut into what is received. */
public enum SocketType {
    /** A stream of bytes (SOCK_STREAM). */
    STREAM(1),
    /** Messages that keep their bounds (SOCK_SEQPACKET): a receive takes one, what does not fit is cut off. */
    SEQPACKET(2);

    private final int code;

    SocketType(final int code) {
        this.code = code;
    }

    /** How it is said to the peer. */
    public int code() {
        return code;
    }

    static @Nullable SocketType fromCode(final int code) {
        for (final SocketType type : values()) {
            if (type.code == code) {
                return type;
            }
        }
        return null;
    }
}
