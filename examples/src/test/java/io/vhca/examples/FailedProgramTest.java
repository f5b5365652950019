package io.vhca.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ConnectException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.NoSuchFileException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** What goes wrong outside of a program is one sentence; a defect is none. */
class FailedProgramTest {
    private final StringWriter err = new StringWriter();
    private final CommandLine commandLine = new CommandLine(new Rping()).setErr(new PrintWriter(err, true));

    private int code(final Exception failure) throws Exception {
        return new FailedProgram().handleExecutionException(failure, commandLine, commandLine.parseArgs());
    }

    @Test
    void whatAnotherThreadFailedByIsOneSentence() throws Exception {
        assertThat(code(new CompletionException(new ConnectException("nobody listens")))).isEqualTo(1);
        assertThat(code(new ExecutionException(new CompletionException(new IOException("it is gone"))))).isEqualTo(1);
        assertThat(code(new ClosedChannelException())).isEqualTo(1);
        assertThat(code(new NoSuchFileException("f"))).isEqualTo(3);
        assertThat(err.toString().lines()).containsExactly(
                "rping: nobody listens", "rping: it is gone", "rping: ClosedChannelException",
                "rping: NoSuchFileException: f");
    }

    @ParameterizedTest
    @CsvSource({"openDevice, 3", "configure, 3", "getDeviceList, 3", "createQp, 1"})
    void aVerbThatFailedIsOneSentence(final String verb, final int code) throws Exception {
        final VerbsException failure = new VerbsException(verb, Errno.EINVAL, "soft0", "no");
        assertThat(code(new ExecutionException(failure))).isEqualTo(code);
        assertThat(err.toString().lines()).containsExactly("rping: " + failure.getMessage());
    }

    @Test
    void aDefectShowsItsTrace() {
        final Exception defect = new ExecutionException(new IllegalStateException("defect"));
        assertThatThrownBy(() -> code(defect)).isSameAs(defect);
        assertThatThrownBy(() -> code(new ExecutionException("no cause", null))).isInstanceOf(ExecutionException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "GET / HTTP/1.1", "0000:zzzzzz:000001:00000000000000000000ffff7f000001"})
    void whoIsNoPingPongIsNamed(final String text) {
        assertThatThrownBy(() -> PingPongAddress.decode(text))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("(EPROTO): it sent '" + text + "', which is no LID:QPN:PSN:GID");
    }

    @Test
    void whoIsNoRpingIsNamed() {
        assertThatThrownBy(() -> RpingMessage.decode(new byte[15]))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("(EPROTO): it sent 15 bytes that are no rping message");
    }
}
