package io.vhca.ras.file;

import java.util.function.IntPredicate;

/** Text of a file that anybody may have written, as it may go to a terminal: what would command one is replaced. */
public final class ShownText {
    private static final char INSTEAD = '?';

    private ShownText() {}

    /** Lines and tabs stay. */
    public static String lines(final String text) {
        return replaced(text, c -> Character.isISOControl(c) && c != '\n' && c != '\t');
    }

    /** One line, whatever is in it. */
    public static String line(final String text) {
        return replaced(text, Character::isISOControl);
    }

    private static String replaced(final String text, final IntPredicate isCommand) {
        if (text.chars().noneMatch(isCommand)) {
            return text;
        }
        final StringBuilder shown = new StringBuilder(text.length());
        text.chars().forEach(c -> shown.append(isCommand.test(c) ? INSTEAD : (char) c));
        return shown.toString();
    }
}
