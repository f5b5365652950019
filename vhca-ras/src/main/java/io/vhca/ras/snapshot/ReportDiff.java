package io.vhca.ras.snapshot;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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
        final Map<String, String> old = facts(before);
        final Map<String, String> now = facts(after);
        old.forEach((name, value) -> {
            if (!value.equals(now.get(name))) {
                own.add("- " + name + " = " + value);
                if (now.containsKey(name)) {
                    own.add("+ " + name + " = " + now.get(name));
                }
            }
        });
        now.forEach((name, value) -> {
            if (!old.containsKey(name)) {
                own.add("+ " + name + " = " + value);
            }
        });
        if (!own.isEmpty()) {
            lines.add("[" + title + "]");
            lines.addAll(own);
        }
    }

    private static Map<String, String> facts(final Report.Section section) {
        final Map<String, String> facts = new LinkedHashMap<>();
        section.facts().forEach(fact -> facts.putIfAbsent(fact.name(), fact.value()));
        return facts;
    }
}
