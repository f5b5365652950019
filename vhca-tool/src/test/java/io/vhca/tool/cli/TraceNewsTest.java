package io.vhca.tool.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.ras.trace.TraceContent;
import io.vhca.ras.trace.TraceRecord;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Each record is told of once, be it that it was overwritten before it could be read. */
class TraceNewsTest {
    private final TraceNews news = new TraceNews();

    private static TraceRecord record(final int ring, final long sequence) {
        return new TraceRecord(ring, sequence, 0, true, 1, 1, 0, 0, 0, 0, 0);
    }

    private TraceNews.Part take(final TraceRecord... records) {
        return news.take(new TraceContent("bond0", 1, 0, 0, Map.of(), List.of(records), 0));
    }

    @Test
    void whatWasThereBeforeIsNotNew() {
        assertThat(take(record(0, 1), record(1, 1), record(0, 2)).records()).hasSize(3);
        assertThat(take(record(0, 1), record(1, 1), record(0, 2), record(0, 3)))
                .isEqualTo(new TraceNews.Part(List.of(record(0, 3)), 0));
        assertThat(take(record(0, 2), record(0, 3))).isEqualTo(new TraceNews.Part(List.of(), 0));
    }

    @Test
    void aRecordThatWasFinishedAfterItsSuccessorsIsNewThen() {
        take(record(0, 1), record(0, 2));
        assertThat(take(record(0, 2), record(0, 4), record(0, 5)))
                .isEqualTo(new TraceNews.Part(List.of(record(0, 4), record(0, 5)), 0));
        assertThat(take(record(0, 2), record(0, 3), record(0, 4), record(0, 5)))
                .isEqualTo(new TraceNews.Part(List.of(record(0, 3)), 0));
    }

    @Test
    void aRecordThatWasNeverFinishedIsCountedOnceItIsOverwritten() {
        take(record(0, 1), record(0, 3));
        assertThat(take(record(0, 3), record(0, 4))).isEqualTo(new TraceNews.Part(List.of(record(0, 4)), 1));
        assertThat(take(record(0, 4))).isEqualTo(new TraceNews.Part(List.of(), 0));
    }

    @Test
    void whatWasOverwrittenUnreadIsCounted() {
        take(record(0, 5), record(1, 1));
        final TraceNews.Part part = take(record(0, 9), record(0, 10), record(1, 2), record(2, 4));
        assertThat(part.records()).hasSize(4);
        assertThat(part.missed()).as("6 to 8 of one, 1 to 3 of another").isEqualTo(6);
    }
}
