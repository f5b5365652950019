package io.vhca.bond.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.recovery.FailureReason;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class QpNotesTest {
    private final AtomicInteger told = new AtomicInteger();
    private final QpNotes notes = new QpNotes(told::incrementAndGet);

    @Test
    void attentionIsAskedForOnceUntilTheNotesAreTaken() {
        notes.add(QpNotes.MARKER);
        notes.add(QpNotes.MARKER);
        notes.addMissingKey(5);
        assertThat(told).hasValue(1);
        assertThat(notes.take()).isEqualTo(QpNotes.MARKER | QpNotes.KEY_MISSING);
        assertThat(notes.missingKey()).isEqualTo(5);
        assertThat(notes.take()).as("taken").isZero();
        notes.add(QpNotes.DESTINATION_MISSING);
        assertThat(told).hasValue(2);
    }

    @Test
    void theFailureOfAPhysicalQueuePairThatIsNotInUseAnyMoreIsForgotten() {
        notes.addPathFailure(FailureReason.RETRY_EXC);
        assertThat(notes.failure()).isEqualTo(FailureReason.RETRY_EXC);
        notes.forgetFailure();
        assertThat(notes.take()).isEqualTo(QpNotes.PATH_FAILURE);
        assertThat(notes.failure()).as("the note is there, and means nothing").isEqualTo(FailureReason.NONE);
    }

    @Test
    void everyNoteHasABitOfItsOwn() {
        final int[] bits = {
            QpNotes.PATH_FAILURE, QpNotes.APPLICATION_ERROR, QpNotes.MARKER, QpNotes.KEY_MISSING,
            QpNotes.POSTED_IN_ERROR, QpNotes.ATOMIC, QpNotes.UNCONFIRMED, QpNotes.DESTINATION_MISSING,
        };
        int all = 0;
        for (final int bit : bits) {
            assertThat(Integer.bitCount(bit)).isEqualTo(1);
            assertThat(all & bit).isZero();
            all |= bit;
        }
    }
}
