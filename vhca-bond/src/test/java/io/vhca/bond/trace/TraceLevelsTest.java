package io.vhca.bond.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TraceLevelsTest {
    private static final long QP = TraceObject.qp(0x12);

    private static TraceLevels levels(final String text) {
        return TraceLevels.parse(text, TraceLevels.BY_DEFAULT);
    }

    @Test
    void byDefaultEverythingIsTracedButRequestsAndCompletions() {
        assertThat(TraceLevels.BY_DEFAULT.shows(TraceEventDescriptor.POSTED_SEND, QP)).isFalse();
        assertThat(TraceLevels.BY_DEFAULT.shows(TraceEventDescriptor.POLLED, QP)).isFalse();
        assertThat(TraceLevels.BY_DEFAULT.shows(TraceEventDescriptor.QP_STATE, QP)).isTrue();
        assertThat(TraceLevels.BY_DEFAULT.shows(TraceEventDescriptor.RECOVERY_FAILED, QP)).isTrue();
    }

    @Test
    void aLevelAloneIsThatOfEveryComponent() {
        final TraceLevels errors = levels("error");
        assertThat(errors.shows(TraceEventDescriptor.RECOVERY_FAILED, QP)).isTrue();
        assertThat(errors.shows(TraceEventDescriptor.QP_STATE, QP)).isFalse();
        assertThat(levels("off").shows(TraceEventDescriptor.RECOVERY_FAILED, QP)).isFalse();
        assertThat(levels("detail").shows(TraceEventDescriptor.POSTED_SEND, QP)).isTrue();
    }

    @Test
    void anObjectsOwnLevelCountsForAllThatIsToldOfIt() {
        final TraceLevels one = levels("off, qp:0x12=detail");
        assertThat(one.shows(TraceEventDescriptor.POSTED_SEND, QP)).isTrue();
        assertThat(one.shows(TraceEventDescriptor.QP_STATE, QP)).isTrue();
        assertThat(one.shows(TraceEventDescriptor.QP_STATE, TraceObject.qp(0x13))).isFalse();
        assertThat(one.mayShow(TraceEventDescriptor.POLLED)).isTrue();
        assertThat(levels("detail,qp:18=off").shows(TraceEventDescriptor.POSTED_SEND, QP)).isFalse();
    }

    @Test
    void aChangeLeavesTheRest() {
        final TraceLevels first = levels("post=detail");
        final TraceLevels second = TraceLevels.parse("+qp:1=error,recovery=off", first);
        assertThat(second.shows(TraceEventDescriptor.POSTED_SEND, QP)).isTrue();
        assertThat(second.shows(TraceEventDescriptor.RECOVERED, QP)).isFalse();
        assertThat(second).hasToString("event,post=detail,recovery=off,qp:0x1=error");
        assertThat(TraceLevels.parse("post=detail", second)).isEqualTo(first);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"event", "off", "off,verbs=error", "detail,qp:0x12=off", "post=detail,poll=detail,mr:1=off"})
    void whatIsPrintedIsReadBack(final String text) {
        assertThat(levels(levels(text).toString())).isEqualTo(levels(text)).hasSameHashCodeAs(levels(text));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "much | \"much\" is no level",
        "posts=detail | \"posts\" is no component",
        "qq:1=detail | \"qq:1\" is no object",
        "qp:x=detail | \"qp:x\" has no number",
        "post=loud | \"loud\" is no level",
        "+ | it is empty",
    })
    void whatIsNoneIsRefusedByName(final String text, final String why) {
        assertThatThrownBy(() -> levels(text)).isInstanceOf(IllegalArgumentException.class).hasMessageContaining(why);
    }

    @Test
    void onlySoManyObjectsHaveLevels() {
        final String most = IntStream.rangeClosed(1, TraceLevels.MAX_OBJECTS)
                .mapToObj(number -> "qp:" + number + "=detail")
                .collect(Collectors.joining(","));
        assertThat(levels(most).shows(TraceEventDescriptor.POLLED, TraceObject.qp(TraceLevels.MAX_OBJECTS))).isTrue();
        assertThatThrownBy(() -> levels(most + ",qp:900=detail")).hasMessageContaining("at most");
    }
}
