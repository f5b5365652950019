package io.vhca.ras.journal;

import io.vhca.ras.file.ShownText;
import java.io.PrintWriter;
import java.nio.file.Path;

/** Prints a journal for people: one line an event, then the count. */
public final class JournalPrinter {
    private JournalPrinter() {}

    /**
     * What was printed.
     *
     * @param events  how many
     * @param isWhole whether nothing was there that could not be read
     */
    public record Printed(long events, boolean isWhole) {}

    /**
     * Prints the journal.
     *
     * @param problems a line for each file that cannot be read to its end
     * @throws IllegalArgumentException where there is no journal
     */
    public static Printed print(final Path journal, final PrintWriter out, final PrintWriter problems) {
        final JournalReader reader = new JournalReader(journal);
        final JournalCalendar calendar = new JournalCalendar();
        final long events = reader.forEach(event -> out.println(ShownText.line(calendar.format(event))));
        out.println(events + " events" + (reader.unreadable() == 0 ? "" : ", " + reader.unreadable() + " unreadable"));
        out.flush();
        reader.problems().forEach(problems::println);
        problems.flush();
        return new Printed(events, reader.unreadable() == 0 && reader.problems().isEmpty());
    }
}
