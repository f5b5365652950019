package io.vhca.ras.trace;

import io.vhca.bond.trace.TraceObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.List;

/** The last part of the trace that this process writes. Any thread. */
public final class TraceExcerpt {
    /** So many letters at the beginning of a line are its time. */
    public static final int TIME_LETTERS = 15;

    private static final int LINES = 128;

    private TraceExcerpt() {}

    /**
     * The last lines that tell of an object, or of none; all where there is no object. None where nothing is traced.
     *
     * @throws IOException where the trace cannot be read
     */
    public static List<String> lines(final Path directory, final String bond, final long object) throws IOException {
        final Path file = directory.resolve(TraceFiles.of(bond));
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return List.of();
        }
        final TraceContent content = TraceReader.read(file);
        final TraceText text = new TraceText(content, ZoneId.systemDefault());
        final List<String> lines = content.records().stream()
                .filter(record -> object == TraceObject.NONE
                        || record.object() == object
                        || record.object() == TraceObject.NONE)
                .map(text::line)
                .toList();
        return lines.subList(Math.max(0, lines.size() - LINES), lines.size());
    }
}
