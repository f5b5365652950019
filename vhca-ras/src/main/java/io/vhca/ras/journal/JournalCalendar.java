package io.vhca.ras.journal;

import io.vhca.recovery.JournalEvent;
import io.vhca.recovery.JournalKind;
import io.vhca.recovery.wire.FailureReason;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the times of a journal's events are by the calendar. They are those of {@link System#nanoTime}, which begin when
 * the machine did: an event of its own says which instant one of them is, when the journal is opened and every hour.
 * One thread.
 */
final class JournalCalendar {
    static final long EVERY_NS = TimeUnit.HOURS.toNanos(1);

    private static final Pattern NOTE = Pattern.compile("journal of process [0-9]+, it is ([0-9]{4}-[0-9T:.-]+Z)");
    private static final DateTimeFormatter SHOWN =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSSX", Locale.ROOT).withZone(ZoneOffset.UTC);

    private @Nullable Instant instant;
    private long timeNs;

    /** What this process writes into its journal. */
    static JournalEvent event(final String bond, final long timeNs, final Instant now) {
        return JournalEvent.member(
                timeNs, bond, FailureReason.NONE,
                "journal of process " + ProcessHandle.current().pid() + ", it is " + now);
    }

    /** A line for people, without its end; it begins with the instant where that is known by now. Events in order. */
    String format(final JournalEvent event) {
        see(event);
        final Instant known = instant;
        return known == null
                ? event.format()
                : SHOWN.format(known.plusNanos(event.timeNs() - timeNs)) + " " + event.format();
    }

    private void see(final JournalEvent event) {
        final Matcher said = NOTE.matcher(event.kind() == JournalKind.MEMBER ? event.note() : "");
        if (said.matches()) {
            try {
                instant = Instant.parse(said.group(1));
                timeNs = event.timeNs();
            } catch (final DateTimeParseException e) {
                // Whoever wrote that: the last one counts.
                instant = null;
            }
        }
    }
}
