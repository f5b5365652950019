package io.vhca.harness.cli;

import java.net.InetAddress;

/** Loopback addresses of this process alone: other builds and tools on this host have soft devices, too. */
public final class OwnAddress {
    private static final int PID = (int) ProcessHandle.current().pid();

    private OwnAddress() {}

    /** The addresses of one test differ in the last number. */
    public static InetAddress of(final int last) {
        return in(128 + (PID >> 8 & 63), last);
    }

    /** In no network of the others. */
    public static InetAddress apart(final int last) {
        return in(224 + (PID >> 8 & 31), last);
    }

    private static InetAddress in(final int group, final int last) {
        return InetAddress.ofLiteral("127." + group + "." + (PID & 255) + "." + last);
    }
}
