package io.vhca.bond.trace;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** How much is traced; each level has all of those before it. The code stands in every record. */
public enum TraceLevel {
    OFF,
    /** What failed. */
    ERROR,
    /** What happens once in a while: states, members, recoveries. */
    EVENT,
    /** Every request and every completion too. */
    DETAIL;

    private static final TraceLevel[] VALUES = values();

    /** The stable code, 0 and up. */
    public int code() {
        return ordinal();
    }

    /** The name as it is written in options and shown. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The level for a code, or null where this version knows none. */
    public static @Nullable TraceLevel fromCode(final int code) {
        return code >= 0 && code < VALUES.length ? VALUES[code] : null;
    }
}
