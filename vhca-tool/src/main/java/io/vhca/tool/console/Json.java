package io.vhca.tool.console;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes maps, lists, strings, numbers and booleans as JSON; maps keep their order. It is ASCII, and so the same in
 * each character set that a terminal or a file may have. Pure.
 */
public final class Json {
    private static final int FIRST_PLAIN = 0x20;
    private static final int LAST_PLAIN = 0x7e;

    private Json() {}

    /** @throws IllegalArgumentException for a value of another kind, or a number that is not finite */
    public static String write(final @Nullable Object value) {
        final StringBuilder text = new StringBuilder();
        write(text, value, 0);
        return text.append('\n').toString();
    }

    private static void write(final StringBuilder text, final @Nullable Object value, final int depth) {
        switch (value) {
            case null -> text.append("null");
            case Map<?, ?> map -> object(text, map, depth);
            case List<?> list -> array(text, list, depth);
            case Boolean flag -> text.append(flag);
            case Double number -> number(text, number);
            case Number number -> text.append(number);
            case Enum<?> constant -> string(text, constant.name());
            case CharSequence string -> string(text, string);
            default -> throw new IllegalArgumentException("no JSON for " + value.getClass());
        }
    }

    private static void number(final StringBuilder text, final double number) {
        if (!Double.isFinite(number)) {
            throw new IllegalArgumentException("no JSON for " + number);
        }
        text.append(Math.rint(number * 1000) / 1000);
    }

    private static void object(final StringBuilder text, final Map<?, ?> map, final int depth) {
        text.append('{');
        boolean first = true;
        for (final Map.Entry<?, ?> entry : map.entrySet()) {
            newLine(text.append(first ? "" : ","), depth + 1);
            string(text, String.valueOf(entry.getKey()));
            write(text.append(": "), entry.getValue(), depth + 1);
            first = false;
        }
        newLine(text, depth);
        text.append('}');
    }

    private static void array(final StringBuilder text, final List<?> list, final int depth) {
        text.append('[');
        boolean first = true;
        for (final Object element : list) {
            text.append(first ? "" : ", ");
            write(text, element, depth + 1);
            first = false;
        }
        text.append(']');
    }

    private static void newLine(final StringBuilder text, final int depth) {
        text.append('\n').append("  ".repeat(depth));
    }

    private static void string(final StringBuilder text, final CharSequence string) {
        text.append('"');
        for (int i = 0; i < string.length(); i++) {
            final char c = string.charAt(i);
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (c < FIRST_PLAIN || c > LAST_PLAIN) {
                text.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                text.append(c);
            }
        }
        text.append('"');
    }
}
