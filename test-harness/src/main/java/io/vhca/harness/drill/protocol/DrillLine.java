package io.vhca.harness.drill.protocol;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/** One line between controller and child: {@code @kind key=value ...}, values percent-encoded. Immutable. */
public record DrillLine(String kind, Map<String, String> values) {
    private static final String MARK = "@";
    private static final List<String> TIMES = List.of("t", "startedNs");

    public static DrillLine of(final String kind, final Object... keysAndValues) {
        final Map<String, String> values = new LinkedHashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            values.put(String.valueOf(keysAndValues[i]), String.valueOf(keysAndValues[i + 1]));
        }
        return new DrillLine(kind, values);
    }

    public String encode() {
        final StringBuilder text = new StringBuilder(MARK).append(kind);
        values.forEach((key, value) ->
                text.append(' ').append(key).append('=').append(URLEncoder.encode(value, StandardCharsets.UTF_8)));
        return text.toString();
    }

    /** Null for a line that is none of ours: something else that the process printed. */
    public static @Nullable DrillLine decode(final String text) {
        if (!text.startsWith(MARK)) {
            return null;
        }
        final String[] words = text.substring(MARK.length()).split(" ", -1);
        final Map<String, String> values = new LinkedHashMap<>();
        for (int i = 1; i < words.length; i++) {
            final int equals = words[i].indexOf('=');
            if (equals < 0) {
                return null;
            }
            values.put(
                    words[i].substring(0, equals),
                    URLDecoder.decode(words[i].substring(equals + 1), StandardCharsets.UTF_8));
        }
        return new DrillLine(words[0], values);
    }

    /**
     * Reads lines until the stream ends; one that cannot be read any more has ended.
     *
     * @param lines hears ours
     * @param rest  hears what else the process printed, and why its stream could not be read
     */
    public static void readAll(
            final InputStream stream, final Consumer<DrillLine> lines, final Consumer<String> rest) {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
            for (String text = reader.readLine(); text != null; text = reader.readLine()) {
                final DrillLine line = decode(text);
                if (line != null) {
                    lines.accept(line);
                } else {
                    rest.accept(text);
                }
            }
        } catch (final IOException e) {
            rest.accept(String.valueOf(e.getMessage()));
        }
    }

    /** Prints it for the process that started this one. Any thread. */
    public void say() {
        System.out.println(encode());
        System.out.flush();
    }

    /** The same with its times, which are values of keys that are known to be times, as another clock shows them. */
    public DrillLine onClock(final LongUnaryOperator clock) {
        final Map<String, String> shown = new LinkedHashMap<>(values);
        for (final String key : TIMES) {
            shown.computeIfPresent(key, (name, value) -> String.valueOf(clock.applyAsLong(Long.parseLong(value))));
        }
        return new DrillLine(kind, shown);
    }

    /** @throws IllegalArgumentException when the line has no such key */
    public String text(final String key) {
        final String value = values.get(key);
        if (value == null) {
            throw new IllegalArgumentException("line '" + kind + "' has no " + key);
        }
        return value;
    }

    public long number(final String key) {
        return Long.parseLong(text(key));
    }
}
