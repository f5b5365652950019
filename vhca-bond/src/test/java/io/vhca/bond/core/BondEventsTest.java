package io.vhca.bond.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.bond.trace.Trace;
import io.vhca.bond.trace.TraceLevels;
import io.vhca.recovery.Journal;
import io.vhca.recovery.JournalEvent;
import io.vhca.recovery.MemoryJournal;
import io.vhca.recovery.wire.FailureReason;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BondEventsTest {
    private final MemoryJournal journal = new MemoryJournal(100);
    private final BondCounters counters = new BondCounters();
    private final BondEvents events = new BondEvents("bond0", journal, new Trace(TraceLevels.BY_DEFAULT), counters);
    private final List<String> told = new ArrayList<>();

    private BondObserver observer(final String name) {
        return new BondObserver() {
            @Override
            public void onTurn(final long nowNs) {
                told.add(name + " turn " + nowNs);
            }

            @Override
            public void onStep(final JournalEvent step) {
                told.add(name + " step " + step.note());
            }

            @Override
            public void onMember(
                    final String member, final MemberChange change, final FailureReason reason, final long failures) {
                told.add(name + " " + member + " " + change + " " + reason + " " + failures);
            }

            @Override
            public void onActive(final String from, final String to) {
                told.add(name + " " + from + " " + to);
            }

            @Override
            public void onDatagramMove(final int qpNum, final String from, final String to) {
                told.add(name + " move " + qpNum + " " + from + " " + to);
            }

            @Override
            public void onFailover(final FailoverReport report) {
                told.add(name + " failover " + report.qpNum());
            }

            @Override
            public void onError(final BondCounters.Counter kind, final Throwable error) {
                told.add(name + " error " + kind + " " + error.getMessage());
            }

            @Override
            public void close() {
                told.add(name + " closed");
            }
        };
    }

    private void tellAll() {
        events.turn(1);
        events.append(JournalEvent.member(2, "bond0", FailureReason.NONE, "step"));
        events.member("m0", 3, MemberChange.DIED, FailureReason.DEVICE_FATAL, 4);
        events.active("m0", "m1", 5);
        events.datagramMove(6, "m0", "");
        events.failover(new FailoverReport(
                7, 1, FailureReason.PORT_ERR, "a", "b", 0, 0, 0, 0, 0, 0, true, null));
        events.error(BondCounters.Counter.JOURNAL_ERRORS, new IllegalStateException("planted"));
    }

    @Test
    void everyObserverIsToldAllAndTheJournalWhatIsForIt() {
        events.observe(observer("one"));
        events.observe(observer("two"));
        tellAll();
        assertThat(told).containsExactly(
                "one turn 1", "two turn 1", "one step step", "two step step",
                "one m0 DIED DEVICE_FATAL 3", "two m0 DIED DEVICE_FATAL 3", "one m0 m1", "two m0 m1",
                "one move 6 m0 ", "two move 6 m0 ", "one failover 7", "two failover 7",
                "one error JOURNAL_ERRORS planted", "two error JOURNAL_ERRORS planted");
        assertThat(journal.events()).extracting(JournalEvent::note)
                .containsExactly("step", "member m0 has died", "member m1 is active in place of m0");
        assertThat(events.failovers().after(0)).hasSize(1);
    }

    @Test
    void whoIsClosedIsNotToldAnyMore() {
        events.observe(observer("one"));
        events.closeObservers();
        tellAll();
        events.closeObservers();
        assertThat(told).containsExactly("one closed");
    }

    @Test
    void whatWasFoundInsideAGateIsToldBeforeTheyAreClosed() {
        events.observe(observer("one"));
        counters.tellErrors(events);
        counters.keep(BondCounters.Counter.POSTS_REFUSED, new IllegalStateException("planted"));
        events.closeObservers();
        assertThat(told).containsExactly("one error POSTS_REFUSED planted", "one closed");
    }

    @Test
    void amongManyRefusedPostsAnOverrunIsToldAllTheSame() {
        events.observe(observer("one"));
        counters.tellErrors(events);
        for (int post = 0; post < 1_000; post++) {
            counters.keep(BondCounters.Counter.POSTS_REFUSED, new IllegalStateException("planted"));
        }
        counters.keep(BondCounters.Counter.MEMORY_OVERRUNS, new IllegalStateException("planted"));
        assertThat(counters.get(BondCounters.Counter.POSTS_REFUSED)).isEqualTo(1_000);
        counters.tellKept();
        assertThat(told).hasSizeLessThan(100).last().isEqualTo("one error MEMORY_OVERRUNS planted");
    }

    /** As the trace, which snapshots are written from. */
    @Test
    void whatAnotherMayUseIsClosedBehindIt() {
        events.observe(observer("one"));
        events.observe(observer("two"));
        events.closeObservers();
        assertThat(told).containsExactly("two closed", "one closed");
    }

    /** As one whose mapped file was cut. */
    private static final class Failing implements BondObserver {
        private static InternalError failure() {
            return new InternalError("planted");
        }

        @Override
        public void onTurn(final long nowNs) {
            throw failure();
        }

        @Override
        public void onStep(final JournalEvent step) {
            throw failure();
        }

        @Override
        public void onMember(
                final String member, final MemberChange change, final FailureReason reason, final long failures) {
            throw failure();
        }

        @Override
        public void onActive(final String from, final String to) {
            throw failure();
        }

        @Override
        public void onDatagramMove(final int qpNum, final String from, final String to) {
            throw failure();
        }

        @Override
        public void onFailover(final FailoverReport report) {
            throw failure();
        }

        @Override
        public void onApplicationError(final int qpNum, final int status, final int vendorErr) {
            throw failure();
        }

        @Override
        public void onLeaks(final List<String> objects) {
            throw failure();
        }

        @Override
        public void onError(final BondCounters.Counter kind, final Throwable error) {
            throw failure();
        }

        @Override
        public void close() {
            throw failure();
        }
    }

    @Test
    void anObserverThatFailsKeepsNeitherTheBondNorTheOthersAndIsCounted() {
        events.observe(new Failing());
        events.observe(observer("two"));
        counters.tellErrors(events);
        tellAll();
        events.applicationError(7, 1, 2);
        events.leaks(List.of("cq 1"));
        final long all = 9;
        final long tellings = all - 1; // of each failure but that of onError the others are told, and it fails again
        assertThat(counters.get(BondCounters.Counter.DUTY_CYCLE_ERRORS)).isEqualTo(all + tellings);
        assertThat(told.removeIf("two error DUTY_CYCLE_ERRORS planted"::equals)).isTrue();
        assertThat(told).containsExactly(
                "two turn 1", "two step step", "two m0 DIED DEVICE_FATAL 3", "two m0 m1", "two move 6 m0 ",
                "two failover 7", "two error JOURNAL_ERRORS planted");
        events.closeObservers();
        assertThat(told).endsWith("two closed");
    }

    @Test
    void aJournalThatFailsKeepsNeitherTheBondNorTheObserversAndIsCounted() {
        events.journal(event -> {
            throw new OutOfMemoryError("planted");
        });
        events.observe(observer("one"));
        counters.tellErrors(events);
        tellAll();
        assertThat(told).contains("one step step", "one m0 DIED DEVICE_FATAL 3", "one m0 m1", "one failover 7");
        assertThat(counters.get(BondCounters.Counter.JOURNAL_LOST)).isEqualTo(3);
        assertThat(counters.get(BondCounters.Counter.JOURNAL_ERRORS)).isEqualTo(3);
    }

    @Test
    void anObserverNeedNotListenToAnything() {
        events.observe(new BondObserver() { });
        tellAll();
        events.closeObservers();
        assertThat(told).isEmpty();
    }

    @Test
    void aJournalThatCanBeClosedIsAndWhatGoesWrongThereIsSaid() {
        final class Closing implements Journal, AutoCloseable {
            private boolean closed;

            @Override
            public void append(final JournalEvent event) {
                throw new AssertionError("nothing happens here");
            }

            @Override
            public void close() throws IOException {
                if (closed) {
                    throw new IOException("planted");
                }
                closed = true;
            }
        }

        events.close();
        final Closing closing = new Closing();
        events.journal(closing);
        events.close();
        assertThat(closing.closed).isTrue();
        assertThatThrownBy(events::close).hasRootCauseMessage("planted");
    }
}
