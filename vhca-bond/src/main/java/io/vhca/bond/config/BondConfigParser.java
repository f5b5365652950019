package io.vhca.bond.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads bond configurations, and reports everything that is wrong with a text at once. What keys there are, and what
 * each allows, is in the rows of {@link BondOption}.
 *
 * <pre>
 *   [bond0]                         # a section a bond
 *   mode    = active-backup
 *   members = soft0, soft1
 *   primary = soft0
 *   peer.10.9.0.2 = 10.1.0.2, 10.2.0.2
 *   recovery_timeout = 30s
 * </pre>
 *
 * <p>The same in one line: {@code bond0: mode=active-backup members=soft0,soft1 recovery_timeout=30s}; several bonds
 * are separated by semicolons.
 */
public final class BondConfigParser {
    /** A name and a colon before anything else; the colons of an IPv6 address have no blank behind them. */
    private static final Pattern INLINE = Pattern.compile("[^\\[#=\\n:]*:(\\s.*)?", Pattern.DOTALL);

    private final List<BondOption<?>> options;
    private final String source;
    private final List<String> errors = new ArrayList<>();

    BondConfigParser(final List<BondOption<?>> options, final String source) {
        this.options = options;
        this.source = source;
    }

    /**
     * The bonds of a text.
     *
     * @param source where the text is from, for messages
     * @throws BondConfigException with every error of the text
     */
    public static List<BondConfig> parse(final String text, final String source) {
        return new BondConfigParser(BondOption.all(), source).read(text);
    }

    /**
     * A configuration with some values changed, of those that may be while the bond is open.
     *
     * @param entries each {@code key=value}
     * @throws BondConfigException with every error of the entries
     */
    public static BondConfig change(final BondConfig now, final List<String> entries) {
        return new BondConfigParser(BondOption.all(), "set").changed(now, entries);
    }

    /**
     * One entry as written.
     *
     * @param where the bond, and the line where the text has lines
     */
    private record Entry(String key, String value, String where) {}

    List<BondConfig> read(final String text) {
        final Map<String, List<Entry>> sections = isInline(text) ? inline(text) : sections(text);
        final List<BondConfig> bonds = new ArrayList<>();
        final Map<String, String> owners = new HashMap<>();
        sections.forEach((name, entries) -> {
            final BondConfig bond = bond(name, entries);
            for (final String member : bond.members()) {
                final String owner = owners.putIfAbsent(member, name);
                final String where = where(name, entries, BondOption.MEMBERS);
                if (owner != null) {
                    error(where, "member " + member + " belongs to " + owner + " already; a device serves one bond");
                }
                if (sections.containsKey(member)) {
                    error(where, "member " + member + " is itself a bond; members are devices below bonds");
                }
            }
            bonds.add(bond);
        });
        throwErrors();
        return bonds;
    }

    BondConfig changed(final BondConfig now, final List<String> texts) {
        final List<Entry> entries = new ArrayList<>();
        texts.forEach(text -> entry(text, now.name(), entries));
        final BondConfig.Builder builder = now.toBuilder();
        final Set<BondOption<?>> given = new HashSet<>();
        for (final Entry entry : distinct(entries)) {
            final BondOption<?> option = option(entry);
            if (option == null) {
                continue;
            }
            if (option.isLive()) {
                given.add(option);
                take(builder, option, entry);
            } else {
                error(entry.where, entry.key + " does not change while the bond is open: " + option.fixedBecause());
            }
        }
        final BondConfig changed = builder.build();
        // Only what is given: members may have changed since, and what was right then stays.
        options.stream().filter(given::contains).forEach(option -> check(option, changed, now::name));
        throwErrors();
        return changed;
    }

    private BondConfig bond(final String name, final List<Entry> entries) {
        final BondConfig.Builder builder = BondConfig.Builder.unchecked(name);
        for (final Entry entry : distinct(entries)) {
            final BondOption<?> option = option(entry);
            if (option == null) {
                continue;
            }
            if (option.isConfigured()) {
                take(builder, option, entry);
            } else {
                error(
                        entry.where,
                        entry.key + " is no configuration: tell the open bond, vhca bond set " + name + " " + entry.key
                                + "=" + entry.value);
            }
        }
        final BondConfig bond = builder.build();
        for (final BondOption<?> option : options) {
            if (option.isRequired() && entries.stream().noneMatch(entry -> option.hasKey(entry.key))) {
                error(name, option.name() + " is missing, allowed is " + option.allowed());
            }
            check(option, bond, () -> where(name, entries, option));
        }
        return bond;
    }

    /** The first entry of each key. */
    private List<Entry> distinct(final List<Entry> entries) {
        final Map<String, Entry> first = new LinkedHashMap<>();
        for (final Entry entry : entries) {
            if (first.putIfAbsent(entry.key, entry) != null) {
                error(entry.where, entry.key + " is given twice");
            }
        }
        return List.copyOf(first.values());
    }

    private @Nullable BondOption<?> option(final Entry entry) {
        for (final BondOption<?> option : options) {
            if (option.hasKey(entry.key)) {
                return option;
            }
        }
        final String names = options.stream().map(BondOption::name).collect(Collectors.joining(", "));
        error(
                entry.where,
                "unknown key " + entry.key + " = \"" + entry.value + "\"" + nearest(entry.key) + "; keys are " + names);
        return null;
    }

    private void take(final BondConfig.Builder builder, final BondOption<?> option, final Entry entry) {
        final String wrong = option.take(builder, entry.key, entry.value);
        if (!wrong.isEmpty()) {
            error(entry.where, wrong);
        }
    }

    private void check(final BondOption<?> option, final BondConfig bond, final Supplier<String> where) {
        final String wrong = option.check(bond);
        if (!wrong.isEmpty()) {
            error(where.get(), wrong);
        }
    }

    private void error(final String where, final String what) {
        errors.add(source + ": " + where + ": " + what);
    }

    private void throwErrors() {
        if (!errors.isEmpty()) {
            throw new BondConfigException(errors);
        }
    }

    /** Where an option is given; the bond where it is not. */
    private static String where(final String name, final List<Entry> entries, final BondOption<?> option) {
        return entries.stream()
                .filter(entry -> option.hasKey(entry.key))
                .map(Entry::where)
                .findFirst()
                .orElse(name);
    }

    private static boolean isInline(final String text) {
        return INLINE.matcher(text.strip()).matches() && !text.contains("\n[");
    }

    private Map<String, List<Entry>> inline(final String text) {
        final Map<String, List<Entry>> bonds = new LinkedHashMap<>();
        for (final String part : text.split(";", -1)) {
            final String bond = part.strip();
            final int colon = bond.indexOf(':');
            if (bond.isEmpty()) {
                continue;
            }
            if (colon < 0) {
                error(bond, "a bond is written NAME: key=value ...");
                continue;
            }
            final String name = bond.substring(0, colon).strip();
            if (name.isEmpty()) {
                error(bond, "the bond has no name; write bond0: key=value ...");
            } else {
                checkName(name, name);
            }
            final List<Entry> entries = new ArrayList<>();
            for (final String word : bond.substring(colon + 1).strip().split("\\s+", -1)) {
                entry(word, name, entries);
            }
            if (bonds.putIfAbsent(name, entries) != null) {
                error(name, "is configured twice");
            }
        }
        return bonds;
    }

    private Map<String, List<Entry>> sections(final String text) {
        final Map<String, List<Entry>> bonds = new LinkedHashMap<>();
        String name = "";
        List<Entry> current = null;
        int number = 0;
        for (final String raw : text.lines().toList()) {
            number++;
            final int comment = raw.indexOf('#');
            final String line = (comment < 0 ? raw : raw.substring(0, comment)).strip();
            final String where = "line " + number;
            if (line.startsWith("[") && line.endsWith("]")) {
                name = line.substring(1, line.length() - 1).strip();
                current = new ArrayList<>();
                if (name.isEmpty()) {
                    error(where, line + " names no bond; write [bond0]");
                } else {
                    checkName(name, where);
                }
                if (bonds.putIfAbsent(name, current) != null) {
                    error(where, line + " is configured twice");
                }
            } else if (!line.isEmpty() && current != null) {
                entry(line, name + ", " + where, current);
            } else if (!line.isEmpty()) {
                error(
                        where,
                        "\"" + line + "\" stands before the first section"
                                + (line.contains("=") ? ", it looks like options without a bond's name" : "")
                                + "; begin with [bond0], or write bond0: members=soft0,soft1");
            }
        }
        return bonds;
    }

    private void checkName(final String name, final String where) {
        if (!BondConfig.isName(name)) {
            error(where, "a bond cannot be called \"" + name + "\"; allowed is " + BondConfig.NAME_ALLOWED);
        }
    }

    private void entry(final String text, final String where, final List<Entry> entries) {
        final int equals = text.indexOf('=');
        if (equals <= 0) {
            error(where, "\"" + text + "\" is not key = value");
        } else {
            entries.add(new Entry(text.substring(0, equals).strip(), text.substring(equals + 1).strip(), where));
        }
    }

    private String nearest(final String wrong) {
        String best = "";
        int least = 3;
        for (final BondOption<?> option : options) {
            final int distance = distance(wrong, option.name());
            if (distance < least) {
                least = distance;
                best = ", did you mean " + option.name() + "?";
            }
        }
        return best;
    }

    /** Levenshtein distance. */
    private static int distance(final String a, final String b) {
        int[] previous = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            final int[] row = new int[b.length() + 1];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                final int replace = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(replace, Math.min(previous[j], row[j - 1]) + 1);
            }
            previous = row;
        }
        return previous[b.length()];
    }
}
