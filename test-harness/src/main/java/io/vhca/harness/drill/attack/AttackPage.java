package io.vhca.harness.drill.attack;

import io.vhca.harness.drill.html.HtmlPage;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The verdicts as a table and as one HTML page. Pure.
 *
 * @param options  of the drill
 * @param fabric   one sentence
 * @param verdicts one for each attack
 */
public record AttackPage(AttackOptions options, String fabric, List<AttackVerdict> verdicts) {
    /** Of the table. */
    public static final List<String> HEADS = List.of(
            "attack", "sent", "MB/s", "exact", "failovers", "throughput", "grew MiB", "back ms", "counted as",
            "verdict");

    private static final int FIRST_NUMBER = HEADS.indexOf("sent");
    private static final int FIRST_WORD = HEADS.indexOf("counted as");
    private static final double BYTES_PER_MIB = 1 << 20;

    /** One line for each verdict. */
    public List<List<String>> rows() {
        return verdicts.stream().map(this::row).toList();
    }

    /** The cells of one verdict. */
    public List<String> row(final AttackVerdict verdict) {
        return List.of(
                verdict.kind().label(),
                String.valueOf(verdict.sent()),
                number("%.1f", verdict.floodMBs()),
                verdict.isExact() ? "yes" : "NO",
                String.valueOf(verdict.failovers()),
                number("%.2f", verdict.ratio()),
                number("%.1f", verdict.grownBytes() / BYTES_PER_MIB),
                String.valueOf(verdict.backMs()),
                verdict.counted().entrySet().stream()
                        .map(entry -> entry.getKey() + " " + entry.getValue())
                        .collect(Collectors.joining(", ")),
                word(verdict));
    }

    private static String number(final String format, final double value) {
        return String.format(Locale.ROOT, format, value);
    }

    private String word(final AttackVerdict verdict) {
        final List<String> failures = verdict.failures(options.isRateJudged());
        if (failures.isEmpty()) {
            return "refused";
        }
        final String what = String.join("; ", failures).lines().findFirst().orElseThrow();
        return verdict.isFailure(options.hasKey(), options.isRateJudged())
                ? "FAILED: " + what
                : "got through (" + verdict.kind().defence().word() + "): " + what;
    }

    /** How many failed. */
    public long failures() {
        return verdicts.stream()
                .filter(one -> one.isFailure(options.hasKey(), options.isRateJudged()))
                .count();
    }

    /** The drill in one sentence. */
    public String verdict() {
        final long through = verdicts.stream()
                        .filter(one -> !one.failures(options.isRateJudged()).isEmpty())
                        .count()
                - failures();
        return (failures() == 0 ? "PASSED: " : "FAILED: " + failures() + " of ") + verdicts.size() + " attacks"
                + (failures() + through == 0 ? ", each refused and counted" : "")
                + (through == 0 ? "" : ", of which " + through + " got through that nothing promises to hold");
    }

    /**
     * The whole page.
     *
     * @param again the command that does the same again
     */
    public String html(final String again) {
        return new HtmlPage("vHCA attack drill", "A file crosses bond0 while somebody attacks")
                .paragraph("dim", fabric)
                .paragraph(failures() == 0 ? "verdict" : "verdict bad", verdict())
                .table(HEADS, rows(), column -> column >= FIRST_NUMBER && column < FIRST_WORD && column != 3)
                .paragraph(
                        "dim",
                        "A stranger has addresses of its own and knows nothing; a spoofer sends with the peer's"
                                + " address; a listener has seen what passed; who is on the path has seen it and sends"
                                + " with the ends' addresses. Throughput is that"
                                + " meanwhile as a part of that right before"
                                + (options.isRateJudged() ? "." : "; it is only reported here.")
                                + " Grew: the end that grew most, its heap taken as what lives on it.")
                .heading("Do it again")
                .command(again)
                .render();
    }
}
