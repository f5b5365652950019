package io.vhca.ras.status;

import io.vhca.api.VerbsException;
import io.vhca.bond.BondAdmin;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** What an operator may tell a bond: a line in, {@code drain soft0}; a line out. Any thread, several at once. */
final class ControlCommands implements UnaryOperator<String> {
    static final String OK = "ok";
    /** What an answer begins with that is a refusal; the reason follows. */
    static final String ERROR = "error: ";

    private static final String COMMANDS = "set, add, remove, drain, resume and activate";

    private final BondAdmin admin;
    private final Map<String, Supplier<String>> reports;

    /** @param reports what is written down when it is asked for, by command; why it was not, or an empty text */
    ControlCommands(final BondAdmin admin, final Map<String, Supplier<String>> reports) {
        this.admin = admin;
        this.reports = Map.copyOf(reports);
    }

    /** Carries a command out; what {@link BondAdmin} refuses comes back as it says it. */
    @Override
    public String apply(final String line) {
        final String[] words = line.strip().split("\\s+");
        final Supplier<String> report = reports.get(String.join(" ", words).toLowerCase(Locale.ROOT));
        if (report != null) {
            final String failure = report.get();
            return failure.isEmpty() ? OK : ERROR + failure;
        }
        if (words.length < 2 || words.length > 2 && !words[0].equalsIgnoreCase("set")) {
            return ERROR + "'" + line.strip() + "' is no command; there are " + COMMANDS
                    + ", each with a device's name, and set with key=value; and "
                    + String.join(", ", new TreeSet<>(reports.keySet()));
        }
        try {
            switch (words[0].toLowerCase(Locale.ROOT)) {
                case "set" -> admin.set(List.of(words).subList(1, words.length));
                case "add" -> admin.add(words[1]);
                case "remove" -> admin.remove(words[1]);
                case "drain" -> admin.drain(words[1]);
                case "resume" -> admin.resume(words[1]);
                case "activate" -> admin.activate(words[1]);
                default -> {
                    return ERROR + "'" + words[0] + "' is no command; there are " + COMMANDS;
                }
            }
            return OK;
        } catch (final VerbsException e) {
            return ERROR + e.getMessage();
        }
    }
}
