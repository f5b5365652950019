package io.vhca.rdp.status;

import io.vhca.api.ProcessLife;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The line of a driver's status that says when its process began; {@link ProcessLife}. */
final class StartLine {
    private static final String WORD = "started ";
    private static final Pattern LINE = Pattern.compile("(?m)^" + WORD + "(\\d{1,18})$");

    private static final long SELF = ProcessHandle.current().pid();
    /** That of this process, which a driver says each second. */
    private static final long OWN = ProcessLife.start(SELF);

    private StartLine() {}

    /** The line of that process; empty where that is not known. */
    static String of(final long pid) {
        final long start = pid == SELF ? OWN : ProcessLife.start(pid);
        return start == ProcessLife.UNKNOWN ? "" : WORD + start + "\n";
    }

    /** What a status says; earlier versions do not say it. */
    static long in(final String status) {
        final Matcher line = LINE.matcher(status);
        return line.find() ? Long.parseLong(line.group(1)) : ProcessLife.UNKNOWN;
    }
}
