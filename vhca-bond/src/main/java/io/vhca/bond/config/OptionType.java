package io.vhca.bond.config;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What values an option can have: how one is read, how it prints, and what is allowed. What {@link #print} gives is
 * read back as the same value.
 */
sealed interface OptionType<T> {
    /** What is allowed, for messages and help; the unit included. */
    String allowed();

    String print(T value);

    /**
     * The value that an entry gives.
     *
     * @param key as written; an option of several keys ({@link Peers}) finds its own there
     * @param now the value so far
     * @throws RefusedValueException where it gives none
     */
    T take(String key, String text, T now) throws RefusedValueException;

    /** The entries that give a value, as a configuration has them, a line each. */
    default List<String> lines(final String name, final T value) {
        return List.of(name + " = " + print(value));
    }

    /** A text is no value of an option. */
    final class RefusedValueException extends Exception {
        private static final long serialVersionUID = 1L;

        private final String why;

        /** What {@link #allowed} says is all there is to say. */
        RefusedValueException() {
            this("");
        }

        /** @param why it is refused; what is allowed is said behind it */
        RefusedValueException(final String why) {
            this.why = why;
        }

        String why() {
            return why;
        }
    }

    /** Has one key, and says all with one text. */
    sealed interface OneValue<T> extends OptionType<T> {
        T parse(String text) throws RefusedValueException;

        @Override
        default T take(final String key, final String text, final T now) throws RefusedValueException {
            return parse(text);
        }
    }

    /**
     * A time in nanoseconds, written with its unit.
     *
     * @param leastNs 0 where there may be none, which is written without a unit
     */
    record Duration(long leastNs) implements OneValue<Long> {
        /** Some eleven days: the sum of a few is far from where a long ends. */
        static final long MOST_S = 1_000_000;

        /** The longest first: a time prints in the first that it is a multiple of. */
        private enum Unit {
            S(1_000_000_000),
            MS(1_000_000),
            US(1_000),
            NS(1);

            private final long ns;

            Unit(final long ns) {
                this.ns = ns;
            }

            private String text() {
                return name().toLowerCase(Locale.ROOT);
            }
        }

        @Override
        public Long parse(final String text) throws RefusedValueException {
            if (leastNs == 0 && text.equals("0")) {
                return 0L;
            }
            final String lower = text.toLowerCase(Locale.ROOT);
            final String digits = lower.replaceFirst("[a-z]+$", "");
            for (final Unit unit : Unit.values()) {
                if (lower.equals(digits + unit.text())) {
                    return parse(digits.strip(), unit);
                }
            }
            throw new RefusedValueException();
        }

        private long parse(final String digits, final Unit unit) throws RefusedValueException {
            try {
                final long value = Math.multiplyExact(Long.parseLong(digits), unit.ns);
                if (value >= leastNs && value <= MOST_S * Unit.S.ns) {
                    return value;
                }
            } catch (final ArithmeticException | NumberFormatException e) {
                // Refused below, like a time out of range.
            }
            throw new RefusedValueException();
        }

        @Override
        public String print(final Long value) {
            if (value == 0) {
                return "0";
            }
            final Unit unit = Arrays.stream(Unit.values())
                    .filter(one -> value % one.ns == 0)
                    .findFirst()
                    .orElseThrow();
            return value / unit.ns + unit.text();
        }

        @Override
        public String allowed() {
            return "a number with a unit: ns, us, ms or s; at most " + MOST_S + "s"
                    + (leastNs == 0 ? ", 0 for none" : "");
        }
    }

    /** @param unit of the number; empty for none */
    record Number(int least, int most, String unit) implements OneValue<Integer> {
        @Override
        public Integer parse(final String text) throws RefusedValueException {
            try {
                final int value = Integer.parseInt(text);
                if (value >= least && value <= most) {
                    return value;
                }
            } catch (final NumberFormatException e) {
                // Refused below, like a number out of range.
            }
            throw new RefusedValueException();
        }

        @Override
        public String print(final Integer value) {
            return value.toString();
        }

        @Override
        public String allowed() {
            return least + " to " + most + (unit.isEmpty() ? "" : " " + unit);
        }
    }

    /** One of a few words. */
    record Word<E>(List<E> values, Function<E, String> word) implements OneValue<E> {
        static <E> Word<E> of(final E[] values, final Function<E, String> word) {
            return new Word<>(List.of(values), word);
        }

        @Override
        public E parse(final String text) throws RefusedValueException {
            for (final E value : values) {
                if (print(value).equals(text)) {
                    return value;
                }
            }
            throw new RefusedValueException();
        }

        @Override
        public String print(final E value) {
            return word.apply(value);
        }

        @Override
        public String allowed() {
            return values.stream().map(word).collect(Collectors.joining(" or "));
        }
    }

    /** A mode by its name or, as Linux bonding has it too, by its number. */
    record Mode() implements OneValue<BondMode> {
        private static final Word<BondMode> NAMES = Word.of(BondMode.values(), BondMode::text);

        @Override
        public BondMode parse(final String text) throws RefusedValueException {
            for (final RefusedMode mode : RefusedMode.values()) {
                if (mode.text().equals(text) || Integer.toString(mode.linuxNumber()).equals(text)) {
                    throw new RefusedValueException(mode.reason());
                }
            }
            for (final BondMode mode : BondMode.values()) {
                if (Integer.toString(mode.linuxNumber()).equals(text)) {
                    return mode;
                }
            }
            return NAMES.parse(text);
        }

        @Override
        public String print(final BondMode value) {
            return NAMES.print(value);
        }

        @Override
        public String allowed() {
            return NAMES.allowed();
        }
    }

    /** Any text but none, such as the name of a device. */
    record Text(String allowed) implements OneValue<String> {
        @Override
        public String parse(final String text) throws RefusedValueException {
            if (text.isEmpty()) {
                throw new RefusedValueException();
            }
            return text;
        }

        @Override
        public String print(final String value) {
            return value;
        }
    }

    /** Different names of devices, in their order. */
    record Devices(int most) implements OneValue<List<String>> {
        @Override
        public List<String> parse(final String text) throws RefusedValueException {
            final List<String> devices = words(text);
            if (new LinkedHashSet<>(devices).size() != devices.size()) {
                throw new RefusedValueException("it names a device twice");
            }
            if (devices.size() < 2 || devices.size() > most) {
                throw new RefusedValueException();
            }
            return devices;
        }

        @Override
        public String print(final List<String> value) {
            return String.join(", ", value);
        }

        @Override
        public String allowed() {
            return "two or more device names, at most " + most + ", separated by commas";
        }
    }

    /** An address by its digits: a configuration is not read by asking the network. */
    record Address() implements OneValue<InetAddress> {
        @Override
        public InetAddress parse(final String text) throws RefusedValueException {
            try {
                // A host name such as "cafe" is none, though its letters are hexadecimal digits.
                return InetAddress.ofLiteral(text);
            } catch (final IllegalArgumentException e) {
                throw new RefusedValueException("\"" + text + "\" is no IP address");
            }
        }

        @Override
        public String print(final InetAddress value) {
            return value.getHostAddress();
        }

        @Override
        public String allowed() {
            return "an IP address";
        }
    }

    /**
     * A value, or none.
     *
     * @param absent the word for none
     */
    record Maybe<T>(OneValue<T> type, String absent) implements OneValue<Optional<T>> {
        @Override
        public Optional<T> parse(final String text) throws RefusedValueException {
            return text.equals(absent) ? Optional.empty() : Optional.of(type.parse(text));
        }

        @Override
        public String print(final Optional<T> value) {
            return value.map(type::print).orElse(absent);
        }

        @Override
        public String allowed() {
            return type.allowed() + ", or " + absent;
        }
    }

    /**
     * Many settings in one text; one that begins with + changes what it names and leaves the rest.
     *
     * @param reader of a text and the value so far; IllegalArgumentException with the reason where there is none
     */
    record Settings<T>(BiFunction<String, T, T> reader, String allowed) implements OptionType<T> {
        @Override
        public T take(final String key, final String text, final T now) throws RefusedValueException {
            try {
                return reader.apply(text, now);
            } catch (final IllegalArgumentException e) {
                throw new RefusedValueException(String.valueOf(e.getMessage()));
            }
        }

        @Override
        public String print(final T value) {
            return String.valueOf(value);
        }
    }

    /** The addresses of other bonds' members, by the address that the other bond is known by: a key for each. */
    record Peers() implements OptionType<Map<InetAddress, List<InetAddress>>> {
        static final String PREFIX = "peer.";

        private static final Address ADDRESS = new Address();

        @Override
        public Map<InetAddress, List<InetAddress>> take(
                final String key, final String text, final Map<InetAddress, List<InetAddress>> now)
                throws RefusedValueException {
            final InetAddress peer = ADDRESS.parse(key.substring(PREFIX.length()));
            final List<InetAddress> members = new ArrayList<>();
            for (final String word : words(text)) {
                members.add(ADDRESS.parse(word));
            }
            if (members.isEmpty()) {
                throw new RefusedValueException();
            }
            final Map<InetAddress, List<InetAddress>> peers = new HashMap<>(now);
            peers.put(peer, List.copyOf(members));
            return Map.copyOf(peers);
        }

        @Override
        public String print(final Map<InetAddress, List<InetAddress>> value) {
            return value.isEmpty() ? "none" : String.join("; ", lines(PREFIX, value));
        }

        @Override
        public List<String> lines(final String name, final Map<InetAddress, List<InetAddress>> value) {
            final Map<String, String> sorted = new TreeMap<>();
            value.forEach((peer, members) -> sorted.put(
                    PREFIX + ADDRESS.print(peer),
                    members.stream().map(ADDRESS::print).collect(Collectors.joining(", "))));
            return sorted.entrySet().stream()
                    .map(line -> line.getKey() + " = " + line.getValue())
                    .toList();
        }

        @Override
        public String allowed() {
            return "the addresses of the peer's members, separated by commas";
        }
    }

    /** The words between commas. */
    private static List<String> words(final String text) {
        return Arrays.stream(text.split(",", -1))
                .map(String::strip)
                .filter(word -> !word.isEmpty())
                .toList();
    }
}
