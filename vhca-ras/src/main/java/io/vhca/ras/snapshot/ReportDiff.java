package io.vhca.ras.snapshot;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Where two reports differ, a line a fact: {@code -} for what only the first says, {@code +} for the second. Pure. */
public final class ReportDiff {
    private ReportDiff() {}

    /** The lines; none where both say the same. */
    public static List<String> lines(final Report first, final Report second) {
        final Map<String, Report.Section> before = byTitle(first);
        final Map<String, Report.Section> after = byTitle(second);
        final List<String> lines = new ArrayList<>();
        before.forEach((title, section) ->
                compare(title, section, after.getOrDefault(title, new Report.Section(title, List.of())), lines));
        after.forEach((title, section) -> {
            if (!before.containsKey(title)) {
                compare(title, new Report.Section(title, List.of()), section, lines);
            }
        });
        return lines;
    }

    private static Map<String, Report.Section> byTitle(final Report report) {
        final Map<String, Report.Section> sections = new LinkedHashMap<>();
        report.sections().forEach(section -> sections.putIfAbsent(section.title(), section));
        return sections;
    }

    private static void compare(
            final String title, final Report.Section before, final Report.Section after, final List<String> lines) {
        final List<String> own = new ArrayList<>();
        final Map<String, List<String>> old = facts(before);
        final Map<String, List<String>> now = facts(after);
        final Set<String> names = new LinkedHashSet<>(old.keySet());
        names.addAll(now.keySet());
        for (final String name : names) {
            final List<String> was = old.getOrDefault(name, List.of());
            final List<String> is = now.getOrDefault(name, List.of());
            tell("- " + name, was, is, own);
            tell("+ " + name, is, was, own);
        }
        if (!own.isEmpty()) {
            lines.add("[" + title + "]");
            lines.addAll(own);
        }
    }

    /** The values that the others have not, or not as often: a name has several where it is a time of a trace. */
    private static void tell(
            final String what, final List<String> values, final List<String> others, final List<String> lines) {
        final Map<String, Integer> left = new HashMap<>();
        others.forEach(value -> left.merge(value, 1, Integer::sum));
        for (final String value : values) {
            if (left.merge(value, -1, Integer::sum) < 0) {
                lines.add(what + " = " + value);
            }
        }
    }

    private static Map<String, List<String>> facts(final Report.Section section) {
        final Map<String, List<String>> facts = new LinkedHashMap<>();
        section.facts()
                .forEach(fact -> facts.computeIfAbsent(fact.name(), name -> new ArrayList<>()).add(fact.value()));
        return facts;
    }
}
