package io.vhca.ras.journal;

import java.io.PrintWriter;
import java.nio.file.Path;

/** Prints a journal for people: one line an event, then the count. */
public final class JournalPrinter {
    private JournalPrinter() {}

    /**
     * Prints the journal.
     *
     * @return the number of events
     * @throws IllegalArgumentException where there is no journal
     */
    public static long print(final Path journal, final PrintWriter out) {
        final JournalReader reader = new JournalReader(journal);
        final long events = reader.forEach(event -> out.println(event.format()));
        out.println(events + " events" + (reader.unreadable() == 0 ? "" : ", " + reader.unreadable() + " unreadable"));
        out.flush();
        return events;
    }
}
