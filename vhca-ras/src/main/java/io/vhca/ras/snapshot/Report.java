package io.vhca.ras.snapshot;

import io.vhca.ras.file.ShownText;
import java.util.ArrayList;
import java.util.List;

/**
 * Facts in sections, as snapshots and dumps are made of. In a file it is text:
 *
 * <pre>
 *   vhca-report 1
 *   [queue pair]
 *   state = RTS
 * </pre>
 *
 * <p>A name has no {@code =} and a value no end of line: what would break the form is replaced when it is added. A
 * reader takes sections and names that it does not know as they are, so new versions read old files. Immutable; any
 * thread.
 *
 * @param sections in the order of the file
 */
public record Report(List<Section> sections) {
    /** The first line. */
    static final String FIRST = "vhca-report 1";

    /** What a reader takes of one line, and of all. */
    static final int MAX_LINE = 16 * 1024;

    static final int MAX_LINES = 1_000_000;

    /**
     * What a report that is written takes, in bytes and in lines; what comes then is counted. Below what a reader
     * takes, so that what is said of the rest has its place.
     */
    public static final int MOST_BYTES = 48 << 20;

    static final int MOST_LINES = MAX_LINES - 1_000;

    /** A text is no report; the message says why. */
    public static final class NoReportException extends Exception {
        private static final long serialVersionUID = 1L;

        NoReportException(final String message) {
            super(message);
        }
    }

    /** A fact. */
    public record Fact(String name, String value) {}

    /** Facts about one thing. */
    public record Section(String title, List<Fact> facts) {
        /** The value of a name, empty where there is none. */
        public String get(final String name) {
            return facts.stream().filter(fact -> fact.name().equals(name)).map(Fact::value).findFirst().orElse("");
        }
    }

    /** The first section of that title, or an empty one. */
    public Section section(final String title) {
        return sections.stream()
                .filter(section -> section.title().equals(title))
                .findFirst()
                .orElse(new Section(title, List.of()));
    }

    /**
     * What is told of one object: sections of its own, and facts about it in others. All of a snapshot that was taken
     * of it.
     *
     * @param object qp:0x12, as it is named in a report, or qp 0x12
     */
    public Report of(final String object) {
        final String name = object.startsWith("qp ") ? "qp:" + object.substring(3) : object;
        if (section("snapshot").get("object").equals(name)) {
            return this;
        }
        final List<Section> own = new ArrayList<>();
        for (final Section section : sections) {
            if (names(section.title(), name)) {
                own.add(section);
                continue;
            }
            final List<Fact> facts = section.facts().stream()
                    .filter(fact -> names(fact.name(), name) || names(fact.value(), name))
                    .toList();
            if (!facts.isEmpty()) {
                own.add(new Section(section.title(), facts));
            }
        }
        return new Report(List.copyOf(own));
    }

    /** Whether a text has a name as a word of its own: qp:0x1 is not in qp:0x12. */
    private static boolean names(final String text, final String name) {
        for (int at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
            final int end = at + name.length();
            if ((at == 0 || !Character.isLetterOrDigit(text.charAt(at - 1)))
                    && (end == text.length() || !Character.isLetterOrDigit(text.charAt(end)))) {
                return true;
            }
        }
        return false;
    }

    /** As it stands in a file. */
    public String text() {
        final StringBuilder text = new StringBuilder(FIRST).append('\n');
        for (final Section section : sections) {
            text.append('[').append(section.title()).append("]\n");
            section.facts().forEach(
                    fact -> text.append(fact.name()).append(" = ").append(fact.value()).append('\n'));
        }
        return text.toString();
    }

    /**
     * Reads a file's text, of whoever wrote it.
     *
     * @throws NoReportException where it is none
     */
    public static Report parse(final String text) throws NoReportException {
        final List<String> lines = text.lines().limit(MAX_LINES + 1L).toList();
        if (lines.isEmpty() || !lines.getFirst().equals(FIRST)) {
            throw new NoReportException("is no report of a bond: it does not begin with \"" + FIRST + "\"");
        }
        if (lines.size() > MAX_LINES) {
            throw new NoReportException("has more than " + MAX_LINES + " lines, which no report has");
        }
        final Builder builder = Builder.ofAll();
        for (int i = 1; i < lines.size(); i++) {
            final String line = lines.get(i);
            final int equals = line.indexOf(" = ");
            if (line.length() > MAX_LINE) {
                throw new NoReportException("is damaged: line " + (i + 1) + " is too long");
            } else if (line.startsWith("[") && line.endsWith("]")) {
                builder.section(line.substring(1, line.length() - 1));
            } else if (equals > 0 && builder.hasSection()) {
                builder.value(line.substring(0, equals), line.substring(equals + 3));
            } else {
                throw new NoReportException("is damaged: line " + (i + 1) + " is neither a section nor a fact");
            }
        }
        return builder.build();
    }

    /** Makes a report, fact by fact. One thread. */
    public static final class Builder implements io.vhca.bond.core.Inspection {
        private final List<String> titles = new ArrayList<>();
        private final List<List<Fact>> facts = new ArrayList<>();
        private final long mostBytes;
        private final long mostLines;
        private String prefix = "";
        private int count;
        private long bytes = FIRST.length() + 1;
        private long lines = 1;
        private long leftOut;

        /** For a report that is written: it takes as much as a reader does, and counts what comes then. */
        public Builder() {
            this(MOST_BYTES, MOST_LINES);
        }

        Builder(final long mostBytes, final long mostLines) {
            this.mostBytes = mostBytes;
            this.mostLines = mostLines;
        }

        /** For one that is not written: it takes all. */
        public static Builder ofAll() {
            return new Builder(Long.MAX_VALUE, Long.MAX_VALUE);
        }

        /** Sections from now on are those of that object: its name goes before their titles. */
        public void prefix(final String object) {
            prefix = object;
        }

        /** How many facts there are by now. */
        public int facts() {
            return count;
        }

        /** What it takes in a file by now. */
        public long bytes() {
            return bytes;
        }

        boolean hasSection() {
            return !titles.isEmpty();
        }

        @Override
        public void section(final String title) {
            final String line = plain(prefix + title);
            if (takes("[]\n", line)) {
                titles.add(line);
                facts.add(new ArrayList<>());
            }
        }

        @Override
        public void value(final String name, final Object value) {
            final String plainName = plain(name).replace(" = ", " - ");
            // A line that begins so would be a section.
            final Fact fact = new Fact(plainName.startsWith("[") ? "(" + plainName : plainName, plain("" + value));
            if (takes(" = \n", fact.name(), fact.value())) {
                count++;
                facts.getLast().add(fact);
            }
        }

        /** Nothing is taken behind what was left out: it would stand in a section that is not its own. */
        private boolean takes(final String... parts) {
            long added = 0;
            for (final String part : parts) {
                // Of a letter outside of ASCII three bytes at most, and of a pair of them four.
                added += part.length() + 2 * part.chars().filter(c -> c >= 0x80).count();
            }
            if (leftOut > 0 || lines == mostLines || bytes + added > mostBytes) {
                leftOut++;
                return false;
            }
            lines++;
            bytes += added;
            return true;
        }

        private static String plain(final String text) {
            final String line = ShownText.line(text);
            return line.length() < MAX_LINE / 4 ? line : line.substring(0, MAX_LINE / 4);
        }

        public Report build() {
            final List<Section> sections = new ArrayList<>();
            for (int i = 0; i < titles.size(); i++) {
                sections.add(new Section(titles.get(i), List.copyOf(facts.get(i))));
            }
            if (leftOut > 0) {
                sections.add(new Section("left out at the end", List.of(new Fact("lines", "" + leftOut))));
            }
            return new Report(List.copyOf(sections));
        }
    }
}
