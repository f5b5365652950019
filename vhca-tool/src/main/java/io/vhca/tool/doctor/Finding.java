package io.vhca.tool.doctor;

/**
 * One check and what it came to.
 *
 * @param subject what was looked at, a word or two
 * @param what    what was found, one line
 * @param fix     what to do, one line; empty for OK and NOT_CHECKED
 */
public record Finding(Verdict verdict, String subject, String what, String fix) {
    public Finding {
        if (fix.isEmpty() != (verdict.compareTo(Verdict.WARNING) < 0) || what.contains("\n") || fix.contains("\n")) {
            throw new IllegalArgumentException("a " + verdict + " of " + subject + " with the fix '" + fix + "'");
        }
    }

    static Finding ok(final String subject, final String what) {
        return new Finding(Verdict.OK, subject, what, "");
    }

    static Finding notChecked(final String subject, final String why) {
        return new Finding(Verdict.NOT_CHECKED, subject, why, "");
    }

    static Finding warning(final String subject, final String what, final String fix) {
        return new Finding(Verdict.WARNING, subject, what, fix);
    }

    static Finding problem(final String subject, final String what, final String fix) {
        return new Finding(Verdict.PROBLEM, subject, what, fix);
    }

    /** A problem where the host cannot do without, a warning where it can. */
    static Finding bad(final boolean isNeeded, final String subject, final String what, final String fix) {
        return isNeeded ? problem(subject, what, fix) : warning(subject, what, fix);
    }

    /**
     * The same of a sentence of this project's, which says what is wrong and then, behind a colon or a semicolon, what
     * to do.
     */
    static Finding bad(final boolean isNeeded, final String subject, final String sentence) {
        final String line = sentence.replace("\n", "; ");
        final int semicolon = line.lastIndexOf("; ");
        final int split = semicolon >= 0 ? semicolon : line.indexOf(": ");
        return split < 0
                ? bad(isNeeded, subject, line, "see the message")
                : bad(isNeeded, subject, line.substring(0, split), line.substring(split + 2));
    }
}
