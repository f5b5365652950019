package io.vhca.ras.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.recovery.JournalEvent;
import io.vhca.recovery.wire.FailureReason;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two hosts' journals are held against each other by the calendar. */
class JournalCalendarTest {
    private static final String SAID =
            "journal of process " + ProcessHandle.current().pid() + ", it is 20\\d\\d-\\d\\d-\\d\\dT\\S+Z";

    private static final JournalLosses NONE = new JournalLosses() {
        @Override
        public void onTrouble(final Throwable reason) {
            throw new AssertionError(reason);
        }

        @Override
        public void onLost(final long events) {
            throw new AssertionError(events + " events are lost");
        }
    };

    private static JournalEvent event(final long timeNs, final String note) {
        return JournalEvent.member(timeNs, "bond0", FailureReason.NONE, note);
    }

    @Test
    void anEventIsDatedByTheLastLineBeforeIt() {
        final JournalCalendar calendar = new JournalCalendar();
        final JournalEvent before = event(1_000_000, "member a is up");
        assertThat(calendar.format(before)).isEqualTo(before.format());
        final JournalEvent said =
                JournalCalendar.event("bond0", 5_000_000_000L, Instant.parse("2026-02-28T23:59:59Z"));
        assertThat(calendar.format(said)).isEqualTo("2026-02-28T23:59:59.000000Z " + said.format());
        final JournalEvent later = event(6_500_000_000L, "member a is down");
        assertThat(calendar.format(later)).isEqualTo("2026-03-01T00:00:00.500000Z " + later.format());
        final JournalEvent earlier = event(4_999_999_000L, "member b is down");
        assertThat(calendar.format(earlier)).isEqualTo("2026-02-28T23:59:58.999999Z " + earlier.format());
        final JournalEvent damaged = event(7, "journal of process 1, it is 2026-13-99T1Z");
        assertThat(calendar.format(damaged)).isEqualTo(damaged.format());
        assertThat(calendar.format(later)).isEqualTo(later.format());
    }

    @Test
    void eachOpeningSaysWhoItIsAndWhen(@TempDir final Path directory) {
        for (int opening = 0; opening < 2; opening++) {
            final ChronicleJournal journal = ChronicleJournal.open("bond0", directory, NONE);
            journal.append(event(System.nanoTime(), "member a is up"));
            journal.close();
        }
        final StringWriter text = new StringWriter();
        JournalPrinter.print(directory, new PrintWriter(text), new PrintWriter(text));
        final List<String> lines = text.toString().lines().toList();
        assertThat(lines).hasSize(5);
        for (final int opening : new int[] {0, 2}) {
            assertThat(lines.get(opening)).matches("20\\d\\d-\\S+Z +\\S+ ms bond0 " + SAID);
            assertThat(lines.get(opening + 1)).matches("20\\d\\d-\\S+Z +\\S+ ms bond0 member a is up");
        }
    }

    /** What was written last before it is of a process of another time. */
    @Test
    void whatWaitedForTheJournalIsDatedByItsOwnProcess(@TempDir final Path directory) {
        final long[] roomBytes = {Long.MAX_VALUE};
        final JournalLosses troubled = new JournalLosses() {
            @Override
            public void onTrouble(final Throwable reason) {
                assertThat(roomBytes[0]).isZero();
            }

            @Override
            public void onLost(final long events) {
                NONE.onLost(events);
            }
        };
        for (final long nowNs : new long[] {TimeUnit.DAYS.toNanos(9), TimeUnit.SECONDS.toNanos(5)}) {
            final long[] clockNs = {nowNs};
            final ChronicleJournal journal = new ChronicleJournal(
                    "bond0", directory, 1 << 14, troubled, () -> clockNs[0], path -> roomBytes[0], 0);
            journal.dated();
            journal.prepare();
            journal.append(event(nowNs, "member a is up"));
            journal.doWork();
            clockNs[0] += TimeUnit.SECONDS.toNanos(2);
            roomBytes[0] = Long.MAX_VALUE;
            journal.close();
            roomBytes[0] = 0;
        }
        final List<String> notes = new ArrayList<>();
        new JournalReader(directory).forEach(event -> notes.add(event.note()));
        assertThat(notes).hasSize(4);
        for (final int process : new int[] {0, 2}) {
            assertThat(notes.get(process)).matches(SAID);
            assertThat(notes.get(process + 1)).isEqualTo("member a is up");
        }
    }

    @Test
    void itIsSaidAgainEveryHour(@TempDir final Path directory) {
        final long[] nowNs = new long[1];
        final ChronicleJournal journal = new ChronicleJournal(
                "bond0", directory, 1 << 14, NONE, () -> nowNs[0], path -> Long.MAX_VALUE, 0);
        assertThat(journal.prepare()).isTrue();
        journal.dated();
        final List<Long> times = new ArrayList<>();
        for (int hour = 0; hour < 3; hour++) {
            journal.doWork();
            nowNs[0] += JournalCalendar.EVERY_NS - 1;
            journal.doWork();
            nowNs[0]++;
            journal.doWork();
        }
        journal.close();
        new JournalReader(directory).forEach(event -> {
            assertThat(event.note()).matches(SAID);
            times.add(event.timeNs());
        });
        assertThat(times).containsExactly(
                0L, TimeUnit.HOURS.toNanos(1), TimeUnit.HOURS.toNanos(2), TimeUnit.HOURS.toNanos(3));
    }
}
