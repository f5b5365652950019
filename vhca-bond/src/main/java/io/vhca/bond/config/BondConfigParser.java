package io.vhca.bond.config;

import io.vhca.bond.wire.QpNumDescriptor;
import io.vhca.recovery.WriteReplay;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads bond configurations, and reports everything that is wrong with a text at once.
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
    /** Every key, with what it allows; the order is that of messages. */
    static final Map<String, String> KEYS = new LinkedHashMap<>();

    private static final String DURATION = "a number with a unit: ns, us, ms or s";
    private static final Map<String, String> REFUSED_MODES = Map.of(
            "balance-alb", "it rewrites ARP answers of the peer, and RDMA connections have no such thing",
            "broadcast", "a queue pair lives on one member, its order is the hardware's",
            "802.3ad", "it stripes packets below the transport, and a queue pair lives on one member");

    /** Keys that do not change while the bond is open, with the reason; all others of {@link #KEYS} do. */
    private static final Map<String, String> FIXED = Map.ofEntries(
            Map.entry("mode", "queue pairs were placed by it; close the bond first, as with Linux bonding"),
            Map.entry("members", "add and remove change them one by one"),
            Map.entry("alias", "peers know the bond by it"),
            Map.entry("recovery_timeout", "recoveries under way count on it"),
            Map.entry("path_timeout", "recoveries under way count on it"),
            Map.entry("drain_timeout", "recoveries under way count on it"),
            Map.entry("watchdog", "queue pairs take it when they are made"),
            Map.entry("heartbeat", "the rhythm of all looks follows from it"),
            Map.entry("ack_timeout", "queue pairs of either age would fail at different times"),
            Map.entry("retry_cnt", "queue pairs of either age would fail at different times"),
            Map.entry("ledger", "what queue pairs promise depends on it"),
            Map.entry("write_replay", "what queue pairs promise depends on it"),
            Map.entry("atomics", "what queue pairs promise depends on it"),
            Map.entry("confirm", "what queue pairs promise depends on it"),
            Map.entry("base_port", "peers find the bond by it"),
            Map.entry("journal", "it is opened with the bond"),
            Map.entry("peer.ADDRESS", "connections under way count on it"));

    static {
        KEYS.put("mode", names(BondMode.values(), BondMode::text));
        KEYS.put("members", "two or more device names, separated by commas");
        KEYS.put("primary", "one of the members, or none");
        KEYS.put("primary_reselect", names(PrimaryReselect.values(), PrimaryReselect::text));
        KEYS.put("xmit_hash_policy", names(XmitHashPolicy.values(), XmitHashPolicy::text));
        KEYS.put("alias", "an IP address");
        KEYS.put("recovery_timeout", DURATION);
        KEYS.put("path_timeout", DURATION);
        KEYS.put("drain_timeout", DURATION);
        KEYS.put("miimon", DURATION);
        KEYS.put("updelay", DURATION + "; 0 for none");
        KEYS.put("downdelay", DURATION + "; 0 for none");
        KEYS.put("min_links", "1 to the number of members");
        KEYS.put("watchdog", DURATION + ", more than the retry budget; or 0 for none");
        KEYS.put("heartbeat", DURATION + "; or 0 for none");
        KEYS.put("ack_timeout", "0 to 31");
        KEYS.put("retry_cnt", "0 to 7");
        KEYS.put("ledger", names(LedgerMode.values(), LedgerMode::text));
        KEYS.put("write_replay", names(WriteReplay.values(), WriteReplay::text));
        KEYS.put("atomics", names(AtomicsMode.values(), AtomicsMode::text));
        KEYS.put("confirm", names(ConfirmMode.values(), ConfirmMode::text));
        KEYS.put("base_port", "1024 to 64511");
        KEYS.put("journal", "a directory");
        KEYS.put("peer.ADDRESS", "the addresses of the peer's members, separated by commas");
    }

    private final String source;
    private final List<String> errors = new ArrayList<>();

    private BondConfigParser(final String source) {
        this.source = source;
    }

    /**
     * The bonds of a text.
     *
     * @param source where the text is from, for messages
     * @throws BondConfigException with every error of the text
     */
    public static List<BondConfig> parse(final String text, final String source) {
        final BondConfigParser parser = new BondConfigParser(source);
        final List<BondConfig> bonds = parser.read(text);
        if (!parser.errors.isEmpty()) {
            throw new BondConfigException(parser.errors);
        }
        return bonds;
    }

    /**
     * A configuration with some values changed, of those that may be while the bond is open.
     *
     * @param entries each {@code key=value}
     * @throws BondConfigException with every error of the entries
     */
    public static BondConfig change(final BondConfig now, final List<String> entries) {
        final BondConfigParser parser = new BondConfigParser("set");
        final List<Entry> list = new ArrayList<>();
        entries.forEach(text -> parser.entry(text, now.name()).ifPresent(list::add));
        final BondConfig.Builder builder = now.toBuilder();
        final Set<String> seen = new LinkedHashSet<>();
        for (final Entry entry : list) {
            final String fixed = FIXED.get(entry.key.startsWith("peer.") ? "peer.ADDRESS" : entry.key);
            if (!seen.add(entry.key)) {
                parser.error(now.name(), entry.key + " is given twice");
            } else if (fixed != null) {
                parser.error(now.name(), entry.key + " does not change while the bond is open: " + fixed);
            } else {
                parser.apply(builder, entry, now.name());
            }
        }
        final BondConfig changed = builder.build();
        parser.checkMinLinks(changed, list);
        parser.checkPrimary(changed, list);
        if (!parser.errors.isEmpty()) {
            throw new BondConfigException(parser.errors);
        }
        return changed;
    }

    /** One entry as written. */
    private record Entry(String key, String value, String where) {}

    private List<BondConfig> read(final String text) {
        final Map<String, List<Entry>> sections = isInline(text) ? inline(text) : sections(text);
        final List<BondConfig> bonds = new ArrayList<>();
        final Map<String, String> owners = new HashMap<>();
        sections.forEach((name, entries) -> {
            final BondConfig bond = build(name, entries);
            for (final String member : new LinkedHashSet<>(bond.members())) {
                final String owner = owners.putIfAbsent(member, name);
                final String where = whereOf(name, entries, "members");
                if (owner != null) {
                    error(where, "member " + member + " belongs to " + owner + " already; a device serves one bond");
                }
                if (sections.containsKey(member)) {
                    error(where, "member " + member + " is itself a bond; members are devices below bonds");
                }
            }
            bonds.add(bond);
        });
        return bonds;
    }

    private void error(final String where, final String what) {
        errors.add(source + ": " + where + ": " + what);
    }

    /** The bond, and the line of its key where the text has lines. */
    private static String whereOf(final String name, final List<Entry> entries, final String key) {
        for (final Entry entry : entries) {
            if (entry.key.equals(key)) {
                return entry.where.equals(name) ? name : name + ", " + entry.where;
            }
        }
        return name;
    }

    private static boolean isInline(final String text) {
        return text.strip().matches("(?s)[^\\[#\\s=]+:\\s.*") && !text.contains("\n[");
    }

    private Map<String, List<Entry>> inline(final String text) {
        final Map<String, List<Entry>> result = new LinkedHashMap<>();
        for (final String part : text.split(";", -1)) {
            if (part.isBlank()) {
                continue;
            }
            final int colon = part.indexOf(':');
            if (colon < 0) {
                error(part.strip(), "a bond is written NAME: key=value ...");
                continue;
            }
            final String name = part.substring(0, colon).strip();
            if (name.isEmpty()) {
                error(part.strip(), "the bond has no name; write bond0: key=value ...");
            }
            final List<Entry> entries = new ArrayList<>();
            for (final String word : part.substring(colon + 1).strip().split("\\s+", -1)) {
                entry(word, name).ifPresent(entries::add);
            }
            if (result.putIfAbsent(name, entries) != null) {
                error(name, "is configured twice");
            }
        }
        return result;
    }

    private Map<String, List<Entry>> sections(final String text) {
        final Map<String, List<Entry>> result = new LinkedHashMap<>();
        List<Entry> current = null;
        int number = 0;
        for (final String raw : text.lines().toList()) {
            number++;
            final int comment = raw.indexOf('#');
            final String line = (comment < 0 ? raw : raw.substring(0, comment)).strip();
            final String where = "line " + number;
            if (line.isEmpty()) {
                continue;
            }
            if (line.startsWith("[") && line.endsWith("]")) {
                current = new ArrayList<>();
                if (line.substring(1, line.length() - 1).isBlank()) {
                    error(where, line + " names no bond; write [bond0]");
                }
                if (result.putIfAbsent(line.substring(1, line.length() - 1).strip(), current) != null) {
                    error(where, line + " is configured twice");
                }
            } else if (current == null) {
                error(where, "\"" + line + "\" stands before the first section; begin with [bond0]");
            } else {
                entry(line, where).ifPresent(current::add);
            }
        }
        return result;
    }

    private java.util.Optional<Entry> entry(final String text, final String where) {
        final int equals = text.indexOf('=');
        if (equals <= 0) {
            error(where, "\"" + text + "\" is not key = value");
            return java.util.Optional.empty();
        }
        return java.util.Optional.of(
                new Entry(text.substring(0, equals).strip(), text.substring(equals + 1).strip(), where));
    }

    private BondConfig build(final String name, final List<Entry> entries) {
        final BondConfig.Builder builder = BondConfig.builder(name);
        final Map<InetAddress, List<InetAddress>> peers = new HashMap<>();
        final Set<String> seen = new LinkedHashSet<>();
        for (final Entry entry : entries) {
            final String where = entry.where.equals(name) ? name : name + ", " + entry.where;
            if (!seen.add(entry.key)) {
                error(where, entry.key + " is given twice");
            } else if (entry.key.startsWith("peer.")) {
                final InetAddress alias = address(entry, where, entry.key.substring("peer.".length()));
                if (alias != null) {
                    peers.put(alias, addresses(entry, where));
                }
            } else {
                apply(builder, entry, where);
            }
        }
        final BondConfig config = builder.peers(peers).build();
        checkMembers(config, entries);
        checkWatchdog(config, entries);
        return config;
    }

    private void checkMembers(final BondConfig config, final List<Entry> entries) {
        final List<String> members = config.members();
        final String where = whereOf(config.name(), entries, "members");
        if (members.size() < 2) {
            error(where, "members is " + members + ", allowed are " + KEYS.get("members"));
        }
        if (new LinkedHashSet<>(members).size() != members.size()) {
            error(where, "members names a device twice: " + members);
        }
        if (members.size() >= 2) {
            checkMinLinks(config, entries);
        }
        checkPrimary(config, entries);
    }

    private static boolean isGiven(final List<Entry> entries, final String key) {
        return entries.stream().anyMatch(entry -> entry.key.equals(key));
    }

    private void checkMinLinks(final BondConfig config, final List<Entry> entries) {
        final List<String> members = config.members();
        if (isGiven(entries, "min_links") && config.minLinks() > members.size()) {
            error(
                    whereOf(config.name(), entries, "min_links"),
                    "min_links is \"" + config.minLinks() + "\", allowed is " + KEYS.get("min_links") + ": "
                            + members.size());
        }
    }

    private void checkPrimary(final BondConfig config, final List<Entry> entries) {
        final List<String> members = config.members();
        if (isGiven(entries, "primary")
                && config.primary() != null
                && !members.contains(config.primary())) {
            error(
                    whereOf(config.name(), entries, "primary"),
                    "primary is \"" + config.primary() + "\", allowed is one of the members, or none: " + members);
        }
    }

    /** Whoever gives up sooner than the hardware would never hear from it what happened. */
    private void checkWatchdog(final BondConfig config, final List<Entry> entries) {
        final long watchdogNs = config.watchdogNs();
        if (watchdogNs != 0 && watchdogNs <= config.retryBudgetNs()) {
            error(
                    whereOf(config.name(), entries, "watchdog"),
                    "watchdog is " + watchdogNs / 1_000 + "us, allowed is more than the retry budget of "
                            + config.retryBudgetNs() / 1_000
                            + "us, which is (retry_cnt + 1) * 4.096us * 2^ack_timeout");
        }
    }

    private void apply(final BondConfig.Builder builder, final Entry entry, final String where) {
        switch (entry.key) {
            case "mode" -> mode(builder, entry, where);
            case "members" -> builder.members(words(entry.value));
            case "primary" -> builder.primary(entry.value.equals("none") ? null : entry.value);
            case "primary_reselect" ->
                    named(PrimaryReselect.of(entry.value), builder::primaryReselect, entry, where);
            case "xmit_hash_policy" -> named(XmitHashPolicy.of(entry.value), builder::xmitHashPolicy, entry, where);
            case "alias" -> builder.alias(address(entry, where, entry.value));
            case "recovery_timeout" -> builder.recoveryTimeoutNs(duration(entry, where));
            case "path_timeout" -> builder.pathTimeoutNs(duration(entry, where));
            case "drain_timeout" -> builder.drainTimeoutNs(duration(entry, where));
            case "miimon" -> builder.miimonNs(duration(entry, where));
            case "updelay" -> builder.updelayNs(durationOrZero(entry, where));
            case "downdelay" -> builder.downdelayNs(durationOrZero(entry, where));
            case "min_links" -> builder.minLinks(number(entry, where, 1, QpNumDescriptor.MAX_MEMBERS));
            case "watchdog" -> builder.watchdogNs(durationOrZero(entry, where));
            case "heartbeat" -> builder.heartbeatNs(durationOrZero(entry, where));
            case "ack_timeout" -> builder.ackTimeout(number(entry, where, 0, 31));
            case "retry_cnt" -> builder.retryCnt(number(entry, where, 0, 7));
            case "ledger" -> named(LedgerMode.of(entry.value), builder::ledger, entry, where);
            case "write_replay" -> named(WriteReplay.of(entry.value), builder::writeReplay, entry, where);
            case "atomics" -> named(AtomicsMode.of(entry.value), builder::atomics, entry, where);
            case "confirm" -> named(ConfirmMode.of(entry.value), builder::confirm, entry, where);
            case "base_port" -> builder.basePort(number(entry, where, 1024, 64_511));
            case "journal" -> {
                if (entry.value.isEmpty()) {
                    refuse(entry, where);
                } else {
                    builder.journal(entry.value);
                }
            }
            default -> error(where, "unknown key " + entry.key + " = \"" + entry.value + "\"" + nearest(entry.key)
                    + "; keys are " + String.join(", ", KEYS.keySet()));
        }
    }

    private void mode(final BondConfig.Builder builder, final Entry entry, final String where) {
        final String reason = REFUSED_MODES.get(entry.value);
        if (reason != null) {
            error(where, "mode " + entry.value + " is refused: " + reason + "; allowed is " + KEYS.get("mode"));
        } else {
            named(BondMode.of(entry.value), builder::mode, entry, where);
        }
    }

    private <T> void named(
            final @Nullable T value, final Consumer<T> setter, final Entry entry, final String where) {
        if (value == null) {
            refuse(entry, where);
        } else {
            setter.accept(value);
        }
    }

    private static <T> String names(final T[] values, final Function<T, String> text) {
        return Arrays.stream(values).map(text).collect(Collectors.joining(" or "));
    }

    private void refuse(final Entry entry, final String where) {
        final String key = entry.key.startsWith("peer.") ? "peer.ADDRESS" : entry.key;
        error(where, entry.key + " is \"" + entry.value + "\", allowed is " + KEYS.get(key));
    }

    private static List<String> words(final String value) {
        final List<String> words = new ArrayList<>();
        for (final String word : value.split(",", -1)) {
            if (!word.isBlank()) {
                words.add(word.strip());
            }
        }
        return words;
    }

    private int number(final Entry entry, final String where, final int least, final int most) {
        try {
            final int value = Integer.parseInt(entry.value);
            if (value >= least && value <= most) {
                return value;
            }
        } catch (final NumberFormatException e) {
            // Reported below, like a number out of range.
        }
        refuse(entry, where);
        return least;
    }

    private long durationOrZero(final Entry entry, final String where) {
        return entry.value.equals("0") ? 0 : duration(entry, where);
    }

    private long duration(final Entry entry, final String where) {
        final String text = entry.value.toLowerCase(Locale.ROOT);
        final String digits = text.replaceFirst("[a-z]+$", "");
        final long unit = switch (text.substring(digits.length())) {
            case "ns" -> 1L;
            case "us" -> 1_000L;
            case "ms" -> 1_000_000L;
            case "s" -> 1_000_000_000L;
            default -> 0;
        };
        try {
            final long value = Math.multiplyExact(Long.parseLong(digits.strip()), unit);
            if (value > 0) {
                return value;
            }
        } catch (final ArithmeticException | NumberFormatException e) {
            // Reported below, like a number without a unit.
        }
        refuse(entry, where);
        return 1;
    }

    private @Nullable InetAddress address(final Entry entry, final String where, final String text) {
        try {
            // Only literals: a configuration is not read by asking the network. A host name such as "cafe" is none.
            return InetAddress.ofLiteral(text);
        } catch (final IllegalArgumentException e) {
            // Reported below.
        }
        error(where, entry.key + ": \"" + text + "\" is no IP address");
        return null;
    }

    private List<InetAddress> addresses(final Entry entry, final String where) {
        final List<InetAddress> list = new ArrayList<>();
        for (final String word : words(entry.value)) {
            final InetAddress one = address(entry, where, word);
            if (one != null) {
                list.add(one);
            }
        }
        if (list.isEmpty()) {
            refuse(entry, where);
        }
        return list;
    }

    private static String nearest(final String wrong) {
        String best = "";
        int least = 3;
        for (final String key : KEYS.keySet()) {
            final int distance = distance(wrong, key);
            if (distance < least) {
                least = distance;
                best = ", did you mean " + key + "?";
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
