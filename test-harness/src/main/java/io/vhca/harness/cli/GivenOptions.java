package io.vhca.harness.cli;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** The options of a command line. One that would not be looked at is refused: whoever gave it expects something. */
final class GivenOptions {
    /** Said in another way, or of no interest to who does it again. */
    private static final Set<String> OF_ONE_RUN = Set.of("--seed", "--report", "--json");

    /** What no shell looks into. */
    private static final Pattern PLAIN = Pattern.compile("[\\w@%+=:,./-]+");

    private GivenOptions() {}

    /**
     * Refuses all others than these.
     *
     * @param way     the option that chose what the command does
     * @param allowed what goes with it, by their long names
     */
    static void only(final CommandSpec spec, final String way, final String... allowed) {
        final List<String> known = List.of(allowed);
        for (final OptionSpec option : spec.commandLine().getParseResult().matchedOptions()) {
            final String name = option.longestName();
            if (!name.equals(way) && !known.contains(name)) {
                throw new ParameterException(
                        spec.commandLine(),
                        way + " goes with " + String.join(", ", known) + " alone, and not with " + name);
            }
        }
    }

    /** Refuses options that mean nothing with another one, which is given. */
    static void refuse(final CommandSpec spec, final String way, final String... idle) {
        refuse(spec, " goes without " + way, List.of(idle));
    }

    /** Refuses options that mean something with another one alone, where that is not given. */
    static void need(final CommandSpec spec, final String way, final String... dependent) {
        refuse(spec, " needs " + way, List.of(dependent));
    }

    /**
     * The command line that does the same again, for a shell to read: what was given but for where the results go, and
     * the seed that was drawn.
     *
     * @param command the words in front of the options
     * @param others  options that the caller adds
     */
    static String again(
            final CommandSpec spec, final String command, final long seed, final String... others) {
        final StringBuilder line = new StringBuilder(command).append(" --seed ").append(seed);
        // One that was given twice is matched twice, with all its values.
        for (final OptionSpec option : new LinkedHashSet<>(spec.commandLine().getParseResult().matchedOptions())) {
            final String name = option.longestName();
            if (!OF_ONE_RUN.contains(name) && !List.of(others).contains(name) && !isSwitchedOff(option)) {
                line.append(' ').append(name);
                if (option.arity().max() > 0) {
                    line.append(' ').append(word(String.join(",", option.originalStringValues())));
                }
            }
        }
        return line.toString();
    }

    private static boolean isSwitchedOff(final OptionSpec option) {
        return option.arity().max() == 0 && Boolean.FALSE.equals(option.getValue());
    }

    /** As a shell wants it that is to take it for one word, with nothing in it that it would replace. */
    private static String word(final String value) {
        return PLAIN.matcher(value).matches() ? value : "'" + value.replace("'", "'\\''") + "'";
    }

    private static void refuse(final CommandSpec spec, final String because, final List<String> names) {
        for (final String name : names) {
            if (spec.commandLine().getParseResult().hasMatchedOption(name)) {
                throw new ParameterException(spec.commandLine(), name + because);
            }
        }
    }
}
