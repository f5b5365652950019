package io.vhca.ras.error;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.recovery.BondError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.errors.DistinctErrorLog;
import org.agrona.concurrent.errors.ErrorLogReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Codes stay what they are, and the page explains each. */
class ErrorCodeTest {
    @Test
    void thePageHasTheTableOfTheCodes() throws IOException {
        final Path document = Path.of(System.getProperty("basedir", "."), "..", "docs", "ERRORS.md");
        final List<String> found = Files.readAllLines(document).stream()
                .filter(line -> line.startsWith("|"))
                .toList();
        assertThat(found)
                .as("docs/ERRORS.md must have, of ErrorCode's rows:\n%s\n", String.join("\n", ErrorCode.table()))
                .isEqualTo(ErrorCode.table());
    }

    /** A code that was told once is never another's. */
    @Test
    void codesDoNotChange() {
        assertThat(Arrays.stream(ErrorCode.values()).map(code -> code.text().substring(5) + " " + code))
                .containsExactly(
                        "0001 NO_PATH", "0002 PEER_RESTARTED", "0003 COMMITTED_DATA_LOST", "0004 PROTOCOL_VIOLATION",
                        "0005 DEVICE_ERROR", "0007 PEER_FAILED", "0008 WRITE_IN_DOUBT", "0009 ATOMIC_RESULT_LOST",
                        "0010 ATOMIC_IN_DOUBT", "0011 MEMORY_OVERRUN", "0100 OTHER", "0101 MEMBER_VERB",
                        "0102 DUTY_CYCLE", "0103 JOURNAL",
                        "0104 KEY_REFUSED", "0111 NO_PROOF", "0112 BAD_PROOF", "0113 REPLAYED", "0114 NO_KEY",
                        "0115 FORGED", "0116 NOT_NAMED", "0117 STRANGER", "0118 REPEATED",
                        "0119 ANSWER_BAD_PROOF", "0120 APPLICATION", "0121 MEMBER_DOWN",
                        "0122 LEAKS", "0123 STUCK", "0124 POST_REFUSED");
    }

    @ParameterizedTest
    @EnumSource(BondError.class)
    void whatQueuePairsFailByHasItsOwnCode(final BondError error) {
        assertThat(ErrorCode.of(error)).hasToString(error.name());
    }

    /** What is told as an error, and not only counted. */
    @ParameterizedTest
    @EnumSource(
            value = Counter.class,
            names = {"MEMBER_ERRORS_IGNORED", "DUTY_CYCLE_ERRORS", "JOURNAL_ERRORS", "KEY_REFUSED", "REQ_NO_PROOF",
                "REQ_BAD_PROOF", "REQ_REPLAYED", "REQ_NO_KEY", "REQ_FORGED", "REQ_NOT_NAMED",
                "REQ_STRANGER", "REQ_REPEATED", "ANSWER_BAD_PROOF",
                "MEMORY_OVERRUNS", "THREADS_STUCK", "POSTS_REFUSED"})
    void whatIsToldHasACode(final Counter counter) {
        assertThat(ErrorCode.of(counter)).isNotEqualTo(ErrorCode.OTHER);
    }

    @ParameterizedTest
    @EnumSource(ErrorCode.class)
    void aRecordOfTheLogNamesItsCode(final ErrorCode code) {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[16 * 1024]);
        final DistinctErrorLog log = new DistinctErrorLog(buffer, () -> 7);
        final Exception thrown = new IllegalStateException("the reason", new IOException("below"));
        log.record(new CodedError(code, thrown));
        log.record(new CodedError(code, thrown));
        log.record(new CodedError(code, "nobody threw this"));
        final List<String> texts = new java.util.ArrayList<>();
        ErrorLogReader.read(buffer, (count, first, last, text) -> texts.add(count + " " + text));
        assertThat(texts).hasSize(2);
        assertThat(texts.getFirst())
                .startsWith("2 " + code.text() + " java.lang.IllegalStateException: the reason")
                .contains("\tat io.vhca.ras.error.ErrorCodeTest", "Caused by: java.io.IOException: below");
        assertThat(texts.getLast()).startsWith("1 " + code.text() + " nobody threw this").doesNotContain("\tat");
        assertThat(ErrorCode.inText(texts.getFirst().substring(2))).isEqualTo(code);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "VHCA-", "VHCA-9999 x", "VHCA-00011 x", "x VHCA-0001", "java.io.IOException: VHCA-0001"})
    void aTextWithoutACodeHasTheOneForAnythingElse(final String text) {
        assertThat(ErrorCode.inText(text)).isEqualTo(ErrorCode.OTHER);
    }
}
