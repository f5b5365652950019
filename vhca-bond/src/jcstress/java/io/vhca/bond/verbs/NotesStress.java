package io.vhca.bond.verbs;

import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.recovery.wire.FailureReason;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * The notes of a vQP: whatever the data path notes is taken by the bond's thread, once, though it looks only at vQPs
 * that asked for its attention and though notes are added while it takes them.
 */
public final class NotesStress {
    private NotesStress() {}

    /** Notes of a vQP, and the queue that tells the bond's thread of it. */
    abstract static class Noted {
        /** Only named by the queue: one serves all. */
        private static final BondQueuePair QP = queuePair();

        final AttentionQueue<BondQueuePair> attention = new AttentionQueue<>(QP.domain().scope().core());
        final QpNotes notes = new QpNotes(() -> attention.add(QP));

        private static BondQueuePair queuePair() {
            final AppEnd end = new AppEnd(new TwoBonds().a);
            end.alone();
            return end.qp();
        }

        /** What the bond's thread finds in one turn. */
        final int turn() {
            return attention.poll() == null ? 0 : notes.take();
        }
    }

    /** A thread notes one thing after the other while the bond's thread looks. */
    @JCStressTest
    @Outcome(id = "3", expect = Expect.ACCEPTABLE, desc = "both notes were taken")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a note is left of which nobody tells the bond's thread")
    @State
    public static class NoteAndTake extends Noted {
        private int taken;

        @Actor
        public void poller() {
            notes.add(QpNotes.PATH_FAILURE);
            notes.add(QpNotes.APPLICATION_ERROR);
        }

        @Actor
        public void bond() {
            taken |= turn();
        }

        @Arbiter
        public void arbiter(final I_Result result) {
            taken |= turn();
            result.r1 = taken;
        }
    }

    /** Two threads note something; the bond's thread is told once, and finds both. */
    @JCStressTest
    @Outcome(id = "3, 0", expect = Expect.ACCEPTABLE, desc = "both notes were taken in one turn")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a note is lost, or the bond's thread was told twice")
    @State
    public static class TwoThatNote extends Noted {
        @Actor
        public void poster() {
            notes.add(QpNotes.PATH_FAILURE);
        }

        @Actor
        public void poller() {
            notes.add(QpNotes.APPLICATION_ERROR);
        }

        @Arbiter
        public void arbiter(final II_Result result) {
            result.r1 = turn();
            result.r2 = attention.isEmpty() ? 0 : 1;
        }
    }

    /** What a note is about is there when the note is taken. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "not noted yet")
    @Outcome(id = "1, 7", expect = Expect.ACCEPTABLE, desc = "noted, with the key")
    @Outcome(id = "0, 7", expect = Expect.ACCEPTABLE, desc = "the key is there, the note follows")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a note without what it is about")
    @State
    public static class NoteAndKey extends Noted {
        @Actor
        public void poster() {
            notes.addMissingKey(7);
        }

        @Actor
        public void bond(final II_Result result) {
            result.r1 = turn() == QpNotes.KEY_MISSING ? 1 : 0;
            result.r2 = notes.missingKey();
        }
    }

    /** The same for why the path failed. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "not noted yet")
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "noted, with its reason")
    @Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "the reason is there, the note follows")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a failure without a reason: it would be passed over")
    @State
    public static class NoteAndReason extends Noted {
        @Actor
        public void poller() {
            notes.addPathFailure(FailureReason.RETRY_EXC);
        }

        @Actor
        public void bond(final II_Result result) {
            result.r1 = turn() == QpNotes.PATH_FAILURE ? 1 : 0;
            result.r2 = notes.failure() == FailureReason.RETRY_EXC ? 1 : 0;
        }
    }
}
