package io.vhca.harness.interop;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A C program in one direction.
 *
 * @param isServer what the C program is; Java is the other
 */
public record InteropPart(CProgram program, boolean isServer) {
    /** All programs, each in both directions. */
    public static List<InteropPart> all() {
        final List<InteropPart> parts = new ArrayList<>();
        for (final CProgram program : CProgram.values()) {
            parts.add(new InteropPart(program, false));
            parts.add(new InteropPart(program, true));
        }
        return parts;
    }

    /** The part of that name. */
    static InteropPart of(final String name) {
        return all().stream()
                .filter(part -> part.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "no part " + name + ": PROGRAM/client or PROGRAM/server, as in " + new InteropPart(
                                CProgram.RPING, false).name()));
    }

    /** {@code PROGRAM/client} or {@code PROGRAM/server}. */
    public String name() {
        return program.name().toLowerCase(Locale.ROOT) + (isServer ? "/server" : "/client");
    }
}
