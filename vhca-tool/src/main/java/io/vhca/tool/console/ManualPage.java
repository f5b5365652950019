package io.vhca.tool.console;

import java.util.Locale;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * A command and all below it as one page of section 1, in the macros of man(7). It says what {@code --help} says: both
 * come from the annotations of the commands. One thread.
 */
public final class ManualPage {
    private static final Map<String, String> ENVIRONMENT = Map.of(
            "VHCA_BOND", "The bonds: a text such as bond0: members=soft0,soft1, or the path of a file.",
            "VHCA_JAVA_OPTS", "Words that are passed on to java.",
            "VHCA_SOFT", "The soft devices, as NAME=ADDRESS,... with ;mtu= and ;rate= after an address.",
            "VHCA_STATUS_DIR", "The directory of the bonds' status files.");

    private final StringBuilder page = new StringBuilder();

    private ManualPage() {}

    /** The page of that command and of what is below it. */
    public static String of(final CommandSpec root) {
        final ManualPage manual = new ManualPage();
        final String name = root.name();
        manual.macro("TH", name.toUpperCase(Locale.ROOT), "1", "", String.join(" ", root.version()), "vHCA");
        manual.macro("SH", "NAME");
        manual.line(name + " - " + String.join(" ", root.usageMessage().description()));
        manual.macro("SH", "SYNOPSIS");
        manual.preformatted(synopsis(root));
        manual.macro("SH", "OPTIONS");
        manual.arguments(root);
        manual.macro("SH", "COMMANDS");
        manual.commands(root);
        manual.macro("SH", "EXIT STATUS");
        root.usageMessage().exitCodeList().forEach((code, meaning) -> manual.row(code, meaning));
        manual.macro("SH", "ENVIRONMENT");
        ENVIRONMENT.entrySet().stream().sorted(Map.Entry.comparingByKey()).forEach(
                variable -> manual.row(variable.getKey(), variable.getValue()));
        manual.macro("SH", "EXAMPLES");
        for (final String line : root.usageMessage().footer()) {
            if (line.startsWith(" ")) {
                manual.preformatted(line.strip());
            }
        }
        return manual.page.toString();
    }

    private void commands(final CommandSpec above) {
        for (final CommandLine below : above.subcommands().values()) {
            final CommandSpec command = below.getCommandSpec();
            if (!command.usageMessage().hidden()) {
                macro("SS", command.qualifiedName());
                preformatted(synopsis(command));
                macro("PP");
                lines(command.usageMessage().description());
                arguments(command);
                lines(command.usageMessage().footer());
                commands(command);
            }
        }
    }

    private static String synopsis(final CommandSpec command) {
        final Help help = new Help(command, Help.defaultColorScheme(Ansi.OFF));
        return help.synopsis(0).stripTrailing();
    }

    private void arguments(final CommandSpec command) {
        for (final PositionalParamSpec parameter : command.positionalParameters()) {
            if (!parameter.hidden()) {
                row(parameter.paramLabel(), description(parameter));
            }
        }
        for (final OptionSpec option : command.options()) {
            // Every command has these two; the page tells of them once.
            if (!option.hidden() && (command.parent() == null || !option.usageHelp() && !option.versionHelp())) {
                final String value = option.arity().max() == 0 ? "" : " " + option.paramLabel();
                row(String.join(", ", option.names()) + value, description(option));
            }
        }
    }

    private static String description(final ArgSpec argument) {
        return String.join(" ", argument.description()).replace("%n", " ").replace("%%", "%");
    }

    /** Lines that begin with a space stay as they are; the others are filled, an empty one begins a paragraph. */
    private void lines(final String... lines) {
        for (final String line : lines) {
            if (line.isBlank()) {
                macro("PP");
            } else if (line.startsWith(" ")) {
                preformatted(line);
            } else {
                line(line);
            }
        }
    }

    private void row(final String term, final String meaning) {
        macro("TP");
        page.append(".B ");
        line(term);
        line(meaning);
    }

    private void preformatted(final String text) {
        macro("nf");
        text.lines().forEach(this::line);
        macro("fi");
    }

    private void macro(final String name, final String... arguments) {
        page.append('.').append(name);
        for (final String argument : arguments) {
            page.append(" \"").append(escaped(argument)).append('"');
        }
        page.append('\n');
    }

    private void line(final String text) {
        final boolean isControl = text.startsWith(".") || text.startsWith("'");
        page.append(isControl ? "\\&" : "").append(escaped(text)).append('\n');
    }

    private static String escaped(final String text) {
        return text.replace("\\", "\\e").replace("-", "\\-").replace("\"", "\\(dq");
    }
}
