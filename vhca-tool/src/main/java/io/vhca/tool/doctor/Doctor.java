package io.vhca.tool.doctor;

import io.vhca.api.ServiceClass;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

/** Runs every check on a host, and says what came of it. */
public final class Doctor {
    private static final int VERDICT_COLUMNS = "not checked".length();

    private Doctor() {}

    /**
     * All findings, from what lies below to what stands on it.
     *
     * @param trafficClass which the applications' connections ask for; {@link ServiceClass#UNSET} where that is not
     *     said
     */
    public static List<Finding> examine(final Host host, final int trafficClass) {
        final Seen seen = Seen.of(host);
        final List<Finding> findings = new ArrayList<>(new ProcessChecks(seen).run());
        findings.addAll(new DeviceChecks(seen).run());
        findings.addAll(new BondChecks(seen).run());
        findings.addAll(new EthernetChecks(seen, trafficClass).run());
        findings.add(Finding.notChecked(
                "network", "switches (flow control, ECN), cables and the peer: run `vhca doctor` there too"));
        return findings;
    }

    /** True when something does not work. */
    public static boolean hasProblem(final List<Finding> findings) {
        return findings.stream().anyMatch(finding -> finding.verdict() == Verdict.PROBLEM);
    }

    /**
     * A line a finding, and one with what to do where there is something to do.
     *
     * @param paint colours a text as suits the verdict, or leaves it
     */
    public static String text(final List<Finding> findings, final BiFunction<Verdict, String, String> paint) {
        final int columns =
                findings.stream().mapToInt(finding -> finding.subject().length()).max().orElse(0);
        final StringBuilder text = new StringBuilder();
        for (final Finding finding : findings) {
            final String verdict = finding.verdict().text();
            text.append(paint.apply(finding.verdict(), verdict))
                    .append(" ".repeat(VERDICT_COLUMNS - verdict.length() + 2))
                    .append(finding.subject())
                    .append(" ".repeat(columns - finding.subject().length() + 2))
                    .append(finding.what())
                    .append('\n');
            if (!finding.fix().isEmpty()) {
                text.append(" ".repeat(VERDICT_COLUMNS + 2 + columns + 2)).append("to do: ").append(finding.fix())
                        .append('\n');
            }
        }
        return text.append('\n').append(summary(findings)).append('\n').toString();
    }

    private static String summary(final List<Finding> findings) {
        final List<String> counts = new ArrayList<>();
        for (final Verdict verdict : List.of(Verdict.PROBLEM, Verdict.WARNING, Verdict.OK, Verdict.NOT_CHECKED)) {
            final long count = findings.stream().filter(finding -> finding.verdict() == verdict).count();
            final boolean isPlural = count != 1 && verdict.compareTo(Verdict.WARNING) >= 0;
            counts.add(count + " " + verdict.text() + (isPlural ? "s" : ""));
        }
        return String.join(", ", counts);
    }
}
