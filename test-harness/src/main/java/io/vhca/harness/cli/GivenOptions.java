package io.vhca.harness.cli;

import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** The options of a command line. One that would not be looked at is refused: whoever gave it expects something. */
final class GivenOptions {
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

    private static void refuse(final CommandSpec spec, final String because, final List<String> names) {
        for (final String name : names) {
            if (spec.commandLine().getParseResult().hasMatchedOption(name)) {
                throw new ParameterException(spec.commandLine(), name + because);
            }
        }
    }
}
