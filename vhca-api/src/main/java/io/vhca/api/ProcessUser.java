package io.vhca.api;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The user that this process acts for, and whose the files are that it makes. For providers. Any thread. */
public final class ProcessUser {
    private static final String UID = "Uid:";
    private static final int ROOT = 0;
    /** What the JDK calls every user that has a number and no name. */
    private static final String NAMELESS = "?";

    private ProcessUser() {}

    /**
     * The number of the effective user.
     *
     * @throws IOException where the kernel does not say it
     */
    public static long number() throws IOException {
        return ProcStatus.ofThisProcess().stream()
                .filter(line -> line.startsWith(UID))
                .map(line -> line.substring(UID.length()).strip().split("\\s+")[1])
                .mapToLong(Long::parseLong)
                .findFirst()
                .orElseThrow(() -> new IOException("/proc/self/status names no user"));
    }

    /**
     * Whether a user is root or the one that this process acts for.
     *
     * @param user by number
     * @throws IOException where the kernel does not say whose this process is
     */
    public static boolean isRootOrOwn(final long user) throws IOException {
        return user == ROOT || user == number();
    }

    /** What the user is told from others by: the name, or the number of one that has no name, as in a container. */
    public static String label() {
        return label(System.getProperty("user.name"));
    }

    static String label(final @Nullable String name) {
        if (name != null && !name.isBlank() && !name.equals(NAMELESS)) {
            return name;
        }
        try {
            return Long.toString(number());
        } catch (final IOException e) {
            // No other number of the user is to be had.
            return "unknown";
        }
    }
}
