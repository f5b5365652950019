package io.vhca.api;

/** What some editors begin a text in UTF-8 with, which says nothing. For providers. Any thread. */
public final class ByteOrderMark {
    private static final String MARK = "\uFEFF";

    private ByteOrderMark() {}

    /** A text without the mark that it may begin with. */
    public static String strip(final String text) {
        return text.startsWith(MARK) ? text.substring(MARK.length()) : text;
    }
}
