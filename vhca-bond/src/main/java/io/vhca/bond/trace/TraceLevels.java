package io.vhca.bond.trace;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * How much of each component is traced, and of single objects, whose level counts for all that is told of them. Written
 * {@code event, post=detail, qp:0x12=detail}: a level alone is that of every component. Immutable; any thread.
 */
public final class TraceLevels {
    /** What an option allows. */
    public static final String ALLOWED = "levels (off, error, event, detail), alone, or behind a component ("
            + Arrays.stream(TraceComponent.values()).map(TraceComponent::text).collect(Collectors.joining(", "))
            + ") or an object as qp:0x12, separated by commas; with a + before them the others stay";

    /** So many objects at most have a level of their own. */
    static final int MAX_OBJECTS = 64;

    /** Everything that is no request and no completion. */
    public static final TraceLevels BY_DEFAULT = new TraceLevels(uniform(TraceLevel.EVENT), new TreeMap<>());

    private final TraceLevel[] components;
    private final Map<Long, TraceLevel> objects;
    /** The same, sorted: asked for each completion, where a map would allocate. */
    private final long[] numbers;
    private final TraceLevel[] levels;

    private TraceLevels(final TraceLevel[] components, final Map<Long, TraceLevel> objects) {
        this.components = components;
        this.objects = objects;
        numbers = objects.keySet().stream().mapToLong(Long::longValue).toArray();
        levels = objects.values().toArray(TraceLevel[]::new);
    }

    private static TraceLevel[] uniform(final TraceLevel level) {
        final TraceLevel[] all = new TraceLevel[TraceComponent.values().length];
        Arrays.fill(all, level);
        return all;
    }

    /**
     * The levels that a text gives. It begins from the default, or, with a {@code +} before it, from what is now.
     *
     * @throws IllegalArgumentException where the text gives none, with the reason
     */
    public static TraceLevels parse(final String text, final TraceLevels now) {
        final boolean isChange = text.startsWith("+");
        final TraceLevels from = isChange ? now : BY_DEFAULT;
        TraceLevel[] components = from.components.clone();
        final Map<Long, TraceLevel> objects = new TreeMap<>(from.objects);
        for (final String word : words(isChange ? text.substring(1) : text)) {
            final int equals = word.indexOf('=');
            final TraceLevel level = level(word.substring(equals + 1).strip());
            final String name = equals < 0 ? "" : word.substring(0, equals).strip();
            if (equals < 0) {
                components = uniform(level);
            } else if (name.indexOf(':') >= 0) {
                objects.put(TraceObject.parse(name), level);
            } else {
                components[component(name).code() - 1] = level;
            }
        }
        if (objects.size() > MAX_OBJECTS) {
            throw new IllegalArgumentException(
                    "at most " + MAX_OBJECTS + " objects have levels of their own; write a level alone to begin again");
        }
        return new TraceLevels(components, objects);
    }

    private static List<String> words(final String text) {
        final List<String> words = Arrays.stream(text.split(",", -1))
                .map(String::strip)
                .filter(word -> !word.isEmpty())
                .toList();
        if (words.isEmpty()) {
            throw new IllegalArgumentException("it is empty");
        }
        return words;
    }

    private static TraceLevel level(final String word) {
        for (final TraceLevel level : TraceLevel.values()) {
            if (level.text().equals(word.toLowerCase(Locale.ROOT))) {
                return level;
            }
        }
        throw new IllegalArgumentException("\"" + word + "\" is no level");
    }

    private static TraceComponent component(final String word) {
        for (final TraceComponent component : TraceComponent.values()) {
            if (component.text().equals(word.toLowerCase(Locale.ROOT))) {
                return component;
            }
        }
        throw new IllegalArgumentException("\"" + word + "\" is no component");
    }

    /** Whether an event of an object is traced. */
    public boolean shows(final int event, final long object) {
        final int component = TraceEventDescriptor.component(event);
        final int own = Arrays.binarySearch(numbers, object);
        final TraceLevel level = own < 0 ? components[component - 1] : levels[own];
        return TraceEventDescriptor.level(event) <= level.code();
    }

    /** Whether objects have levels of their own. */
    public boolean isByObject() {
        return numbers.length > 0;
    }

    /** Whether an event of any object may be traced. */
    public boolean mayShow(final int event) {
        return shows(event, TraceObject.NONE)
                || objects.values().stream().anyMatch(level -> TraceEventDescriptor.level(event) <= level.code());
    }

    /** As {@link #parse} reads it. */
    @Override
    public String toString() {
        final List<String> words = new ArrayList<>();
        words.add(components[components.length - 1].text());
        for (final TraceComponent component : TraceComponent.values()) {
            final TraceLevel level = components[component.code() - 1];
            if (level != components[components.length - 1]) {
                words.add(component.text() + "=" + level.text());
            }
        }
        objects.forEach((object, level) -> words.add(TraceObject.text(object) + "=" + level.text()));
        return String.join(",", words);
    }

    @Override
    public boolean equals(final Object other) {
        return other instanceof TraceLevels levels
                && Arrays.equals(components, levels.components)
                && objects.equals(levels.objects);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(components) + objects.hashCode();
    }
}
