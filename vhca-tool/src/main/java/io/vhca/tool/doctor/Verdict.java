package io.vhca.tool.doctor;

/** What a check came to; the order is that of severity. */
public enum Verdict {
    OK("ok", "green"),
    /** It could not be looked at from here; the text says why, and how to find out. */
    NOT_CHECKED("not checked", "faint"),
    /** It works, though not as well as it could. */
    WARNING("warning", "yellow"),
    /** It does not work. */
    PROBLEM("problem", "bold,red");

    private final String text;
    private final String style;

    Verdict(final String text, final String style) {
        this.text = text;
        this.style = style;
    }

    /** For people. */
    public String text() {
        return text;
    }

    /** As picocli's markup names it. */
    public String style() {
        return style;
    }
}
