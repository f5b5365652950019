package io.vhca.ras.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.trace.TraceComponent;
import io.vhca.bond.trace.TraceEventDescriptor;
import io.vhca.bond.trace.TraceLevel;
import io.vhca.bond.trace.TraceObject;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Records read as words. */
class TraceTextTest {
    private static final TraceContent CONTENT =
            new TraceContent("bond0", 7, 1_000, 5_000_000_000L, Map.of(3, "worker"), List.of(), 0);

    private static TraceRecord record(final int event, final long... words) {
        return new TraceRecord(
                0, 1, 5_001_500_000L, true, 3, event, TraceObject.qp(0x12), words[0], words[1], words[2], words[3]);
    }

    static Stream<Integer> events() throws IllegalAccessException {
        final List<Integer> events = new ArrayList<>();
        for (final Field field : TraceEventDescriptor.class.getFields()) {
            if (Modifier.isStatic(field.getModifiers())) {
                events.add(field.getInt(null));
            }
        }
        return events.stream();
    }

    @Test
    void aLineHasTimeObjectThreadAndWhatHappened() {
        final String line = new TraceText(CONTENT, ZoneOffset.UTC)
                .line(record(TraceEventDescriptor.POSTED_SEND, 42, 6, 1, 2));
        assertThat(line)
                .isEqualTo("00:00:01.001500  post      detail qp:0x12     worker           posted 1 sends, first"
                        + " wr_id=0x2a SEND, last is #6");
    }

    @Test
    void namesAreThoseOfTheVerbs() {
        assertThat(TraceText.what(record(TraceEventDescriptor.POLLED, 1, 128, 12, 64)))
                .isEqualTo("completed wr_id=0x1 RECV RETRY_EXC_ERR, 64 bytes");
        assertThat(TraceText.what(record(TraceEventDescriptor.QP_STATE, 2, 3, 0, 0))).isEqualTo("RTR -> RTS");
        assertThat(TraceText.what(record(TraceEventDescriptor.RECOVERY_FAILED, 9, 3, 4, 1)))
                .isEqualTo("failed after 9 ns: NO_PATH, after PORT_ERR, epoch 4");
    }

    @Test
    void textsOfWordsAreRead() {
        final String text = "member soft0 went away, at last!";
        assertThat(TraceText.what(record(
                        TraceEventDescriptor.FAILED, TraceText.word(text, 0), TraceText.word(text, 8),
                        TraceText.word(text, 16), TraceText.word(text, 24))))
                .isEqualTo("failed: " + text);
        assertThat(TraceText.what(record(TraceEventDescriptor.MEMBER_CHANGED, 1, 3, TraceText.word("s\033", 0), 0)))
                .isEqualTo("is down, PORT_ERR: s?");
    }

    @ParameterizedTest
    @MethodSource("events")
    void everyEventHasAComponentALevelAndAText(final int event) {
        assertThat(TraceComponent.fromCode(TraceEventDescriptor.component(event))).isNotNull();
        assertThat(TraceLevel.fromCode(TraceEventDescriptor.level(event))).isNotNull().isNotEqualTo(TraceLevel.OFF);
        assertThat(Objects.requireNonNull(TraceEventDescriptor.text(event))).isNotBlank();
        assertThat(TraceText.what(record(event, 1, 1, 1, 1))).doesNotContain("{", "another version");
    }

    /** A word that no table has is shown by its number, and so is an event of a later version. */
    @ParameterizedTest
    @MethodSource("events")
    void anyWordsHaveALine(final int event) {
        for (final long word : new long[] {-1, 0, Long.MIN_VALUE, 1L << 40, 77}) {
            assertThat(TraceText.what(record(event, word, word, word, word))).isNotBlank();
            assertThat(TraceText.what(record(event + 1_000, word, word, word, word))).contains("another version");
        }
    }
}
