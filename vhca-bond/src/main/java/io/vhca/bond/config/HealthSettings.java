package io.vhca.bond.config;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What each reporter of a bond does by itself. Written {@code path.grace_period=5000, path.auto_recover=true}: what is
 * not named is as by default. Immutable; any thread.
 */
public final class HealthSettings {
    /** What an option allows. */
    public static final String ALLOWED = "default, or REPORTER.grace_period=MS, REPORTER.auto_recover=true (or false)"
            + " and REPORTER.auto_dump=true (or false), separated by commas, REPORTER one of "
            + Arrays.stream(HealthReporter.values()).map(HealthReporter::text).collect(Collectors.joining(", "))
            + "; with a + before them the others stay";

    /** Of every reporter: nothing by itself. */
    public static final Setting NOTHING = new Setting(60_000, false, false);

    public static final HealthSettings BY_DEFAULT = new HealthSettings(new EnumMap<>(HealthReporter.class));

    private static final String DEFAULT = "default";
    private static final int MAX_GRACE_MS = 86_400_000;
    private static final int MAX_DIGITS = 9;

    private final Map<HealthReporter, Setting> others;

    /**
     * Of one reporter.
     *
     * @param graceMs    from one thing that it does by itself to the next of that kind
     * @param isToRecover whether it recovers by itself what is wrong
     * @param isToDump    whether it writes a dump by itself at an error
     */
    public record Setting(int graceMs, boolean isToRecover, boolean isToDump) {}

    private HealthSettings(final Map<HealthReporter, Setting> others) {
        this.others = others;
    }

    /** What one does. */
    public Setting of(final HealthReporter reporter) {
        return others.getOrDefault(reporter, NOTHING);
    }

    /**
     * What a text gives. It begins from the default, or, with a {@code +} before it, from what is now.
     *
     * @throws IllegalArgumentException where the text gives none, with the reason
     */
    public static HealthSettings parse(final String text, final HealthSettings now) {
        final boolean isChange = text.startsWith("+");
        final Map<HealthReporter, Setting> settings = new EnumMap<>(HealthReporter.class);
        if (isChange) {
            settings.putAll(now.others);
        }
        final String words = isChange ? text.substring(1) : text;
        if (!words.strip().equals(DEFAULT)) {
            for (final String word : words.split(",", -1)) {
                take(word.strip(), settings);
            }
        }
        settings.values().removeIf(NOTHING::equals);
        return new HealthSettings(settings);
    }

    private static void take(final String word, final Map<HealthReporter, Setting> settings) {
        final String[] parts = word.split("[.=]", -1);
        final HealthReporter reporter = HealthReporter.named(parts[0]);
        if (reporter == null) {
            throw new IllegalArgumentException("\"" + parts[0] + "\" is no reporter");
        }
        if (parts.length != 3 || word.indexOf('.') > word.indexOf('=')) {
            throw new IllegalArgumentException("\"" + word + "\" is no setting of a reporter");
        }
        final Setting from = settings.getOrDefault(reporter, NOTHING);
        settings.put(reporter, switch (parts[1]) {
            case "grace_period" -> new Setting(graceMs(parts[2]), from.isToRecover, from.isToDump);
            case "auto_recover" -> new Setting(from.graceMs, isToRecover(reporter, parts[2]), from.isToDump);
            case "auto_dump" -> new Setting(from.graceMs, from.isToRecover, isTrue(parts[2]));
            default -> throw new IllegalArgumentException(
                    "a reporter has grace_period, auto_recover and auto_dump, no \"" + parts[1] + "\"");
        });
    }

    private static int graceMs(final String text) {
        final boolean isNumber = !text.isEmpty()
                && text.length() <= MAX_DIGITS
                && text.chars().allMatch(letter -> letter >= '0' && letter <= '9');
        if (!isNumber || Integer.parseInt(text) > MAX_GRACE_MS) {
            throw new IllegalArgumentException("a grace_period has 0 to " + MAX_GRACE_MS + " ms, not \"" + text + "\"");
        }
        return Integer.parseInt(text);
    }

    private static boolean isToRecover(final HealthReporter reporter, final String text) {
        final boolean isToRecover = isTrue(text);
        if (isToRecover && !reporter.refusal().isEmpty()) {
            throw new IllegalArgumentException(reporter.text() + " has no auto_recover: " + reporter.refusal());
        }
        return isToRecover;
    }

    private static boolean isTrue(final String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("it is true or false, not \"" + text + "\"");
        };
    }

    @Override
    public boolean equals(final Object other) {
        return other instanceof HealthSettings settings && settings.others.equals(others);
    }

    @Override
    public int hashCode() {
        return others.hashCode();
    }

    /** As it is read. */
    @Override
    public String toString() {
        final List<String> words = new ArrayList<>();
        others.forEach((reporter, one) -> {
            if (one.graceMs != NOTHING.graceMs) {
                words.add(reporter.text() + ".grace_period=" + one.graceMs);
            }
            if (one.isToRecover) {
                words.add(reporter.text() + ".auto_recover=true");
            }
            if (one.isToDump) {
                words.add(reporter.text() + ".auto_dump=true");
            }
        });
        return words.isEmpty() ? DEFAULT : String.join(",", words);
    }
}
