package io.vhca.bond.trace;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A part of the bond whose steps can be traced; the code stands in every record. */
public enum TraceComponent {
    /** Requests that the application posts. */
    POST(1),
    /** Completions that it polls. */
    POLL(2),
    /** Queue pairs: their life and their states. */
    QP(3),
    /** Completion queues. */
    CQ(4),
    /** Memory regions. */
    MR(5),
    /** Events of the connection manager that the application is given. */
    CM(6),
    /** Recoveries, step by step. */
    RECOVERY(7),
    /** Members and which of them is active. */
    PLACEMENT(8),
    /** Queue pairs for datagrams that move. */
    DATAGRAM(9),
    /** Calls to members, and turns of the bond's thread, that failed. */
    VERBS(10),
    /** Native memory of queues: allocated, freed, overrun. */
    MEMORY(11),
    /** The bonds' own connections. */
    CONTROL(12),
    /** Members that execute their transport in software: retransmits, NAKs, drops. */
    SOFT_ENGINE(13),
    /** Messages of such a member's connection manager. */
    SOFT_CM(14);

    private static final TraceComponent[] VALUES = values();

    private final int code;

    TraceComponent(final int code) {
        this.code = code;
        assert code == ordinal() + 1 : this + " is in another place";
    }

    /** The stable code, 1 and up. */
    public int code() {
        return code;
    }

    /** The name as it is written in options and shown. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The component for a code, or null where this version knows none. */
    public static @Nullable TraceComponent fromCode(final int code) {
        return code >= 1 && code <= VALUES.length ? VALUES[code - 1] : null;
    }
}
