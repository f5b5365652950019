package io.vhca.harness.interop;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A C program in one direction.
 *
 * @param device   Java's
 * @param isServer what the C program is; Java is the other
 */
public record InteropPart(String device, CProgram program, boolean isServer) {
    /** All programs against that device of Java's, each in both directions. */
    public static List<InteropPart> all(final String device) {
        final List<InteropPart> parts = new ArrayList<>();
        for (final CProgram program : CProgram.values()) {
            parts.add(new InteropPart(device, program, false));
            parts.add(new InteropPart(device, program, true));
        }
        return parts;
    }

    /** The part of that name. */
    static InteropPart of(final String name) {
        return all(name.substring(0, Math.max(0, name.indexOf('/')))).stream()
                .filter(part -> part.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "no part " + name + ": DEVICE/PROGRAM/client or DEVICE/PROGRAM/server, as in "
                                + new InteropPart("soft0", CProgram.RPING, false).name()));
    }

    /** {@code DEVICE/PROGRAM/client} or {@code DEVICE/PROGRAM/server}. */
    public String name() {
        return device + "/" + program.name().toLowerCase(Locale.ROOT) + (isServer ? "/server" : "/client");
    }
}
