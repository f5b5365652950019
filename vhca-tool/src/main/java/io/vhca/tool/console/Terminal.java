package io.vhca.tool.console;

/** What this process prints to. */
public final class Terminal {
    private Terminal() {}

    /** True where a person watches: lines may be written over. */
    public static boolean isThere() {
        return System.console() != null && System.console().isTerminal();
    }
}
