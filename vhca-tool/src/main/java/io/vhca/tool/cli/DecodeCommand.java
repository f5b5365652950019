package io.vhca.tool.cli;

import io.vhca.api.FailureText;
import io.vhca.ras.dump.DumpFile;
import io.vhca.ras.dump.HexDump;
import io.vhca.ras.snapshot.Report;
import io.vhca.ras.snapshot.ReportFiles;
import io.vhca.ras.snapshot.ReportHtml;
import io.vhca.tool.console.EnvironmentException;
import io.vhca.tool.console.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code vhca decode}: a snapshot or a dump as text, as JSON or as a page. */
@Command(
        name = "decode",
        mixinStandardHelpOptions = true,
        description = {
            "Prints a snapshot or a dump as text, JSON or one HTML page.",
            "",
            "The page needs nothing else. Of a request that is not done it says what a recovery would do:",
            "hand its completion out, post it again (replay), keep its place (placeholder), post it for",
            "the first time, or, where only the peer knows, doubtful.",
            ""
        },
        footer = {
            "",
            "Exit codes: 0 done, 3 there is no such file or it is none of these.",
            "",
            "Examples:",
            "  vhca decode bond0.4711.1.snapshot --as html > failure.html",
            "  vhca decode bond0.dump qp 0x12           all of one queue pair",
            "  vhca decode bond0.dump qp 0x12 --hex     with its native memory"
        })
public final class DecodeCommand implements Callable<Integer> {
    /** What a report is printed as. */
    enum Form {
        TEXT,
        JSON,
        HTML
    }

    /** Values stand below each other behind names up to that: one long name of many facts is not paid for by all. */
    private static final int WIDEST_NAME = 64;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Parameters(
            index = "0",
            paramLabel = "FILE",
            description = "that vhca snapshot list names, or that vhca dump has written")
    private Path file = Path.of(".");

    @Parameters(
            index = "1..*",
            arity = "0..2",
            paramLabel = "OBJECT",
            description = "only what is told of one object: qp 0x12, member soft0")
    private List<String> object = List.of();

    @Option(names = "--hex", description = "with native memory, as a hexdump that names what begins where")
    private boolean isHex;

    @Option(
            names = "--as",
            paramLabel = "FORM",
            defaultValue = "text",
            description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})")
    private Form form = Form.TEXT;

    @Option(names = "--section", paramLabel = "TITLE", description = "only sections whose titles begin so: hardware")
    private String section = "";

    @Override
    public Integer call() {
        final Report report = decode();
        final PrintWriter out = spec.commandLine().getOut();
        out.print(switch (form) {
            case TEXT -> text(report);
            case JSON -> Json.write(json(report));
            case HTML -> ReportHtml.page(report);
        });
        out.flush();
        return 0;
    }

    private Report decode() {
        try (DumpFile dump = DumpFile.open(file)) {
            final Report all = object.isEmpty() ? dump.report() : dump.report().of(String.join(" ", object));
            final List<Report.Section> sections = new ArrayList<>(all.sections());
            if (isHex) {
                sections.addAll(HexDump.of(dump, all));
            }
            final Report report = new Report(sections.stream()
                    .filter(one -> one.title().startsWith(section))
                    .toList());
            if (report.sections().isEmpty()) {
                throw new EnvironmentException(file + " tells nothing of that; without it all is shown");
            }
            return report;
        } catch (final IOException e) {
            throw new EnvironmentException(FailureText.of(e), e);
        }
    }

    static Report read(final Path file) {
        try {
            return ReportFiles.read(file);
        } catch (final IOException e) {
            throw new EnvironmentException(FailureText.of(e), e);
        }
    }

    static String text(final Report report) {
        final StringBuilder text = new StringBuilder();
        for (final Report.Section section : report.sections()) {
            text.append(text.isEmpty() ? "" : "\n").append(section.title()).append('\n');
            final int width = Math.min(
                    WIDEST_NAME, section.facts().stream().mapToInt(fact -> fact.name().length()).max().orElse(0));
            section.facts().forEach(fact -> text.append("  ")
                    .append(fact.name())
                    .append(" ".repeat(Math.max(0, width - fact.name().length()) + 2))
                    .append(fact.value())
                    .append('\n'));
        }
        return text.toString();
    }

    private static List<Map<String, Object>> json(final Report report) {
        final List<Map<String, Object>> sections = new ArrayList<>();
        for (final Report.Section section : report.sections()) {
            final List<Map<String, Object>> facts = new ArrayList<>();
            section.facts().forEach(fact -> {
                final Map<String, Object> one = new LinkedHashMap<>();
                one.put("name", fact.name());
                one.put("value", fact.value());
                facts.add(one);
            });
            final Map<String, Object> one = new LinkedHashMap<>();
            one.put("title", section.title());
            one.put("facts", facts);
            sections.add(one);
        }
        return sections;
    }
}
