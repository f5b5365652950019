package io.vhca.harness.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The stream between agent and host, cut into pieces at every place. */
class GuestStreamTest {
    private static final String MARK = "00ff";

    private final List<String> heard = new ArrayList<>();

    /** Feeds a text in two pieces: a connection may break it anywhere. */
    private GuestStream stream(final String text, final int at) {
        final byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        final List<InputStream> pieces =
                List.of(new ByteArrayInputStream(bytes, 0, at), new ByteArrayInputStream(bytes, at, bytes.length - at));
        heard.clear();
        return new GuestStream(new SequenceInputStream(Collections.enumeration(pieces)), MARK, heard::add);
    }

    private static String read(final GuestStream stream) throws IOException {
        return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    }

    @Test
    void outputComesAsItWasAndControlLinesDoNot() throws IOException {
        final String text = "\00100ff pid 17\nhello\n\00100ff barrier a b\nno newline\00100ff exit 3\n";
        for (int at = 0; at <= text.length(); at++) {
            final GuestStream stream = stream(text, at);
            assertThat(read(stream)).isEqualTo("hello\nno newline");
            assertThat(stream.exitCode()).isEqualTo(3);
            assertThat(heard).containsExactly("pid 17", "barrier a b");
        }
    }

    @Test
    void whatOnlyLooksLikeAControlLineIsOutput() throws IOException {
        final String text = "a\001b\00100fe exit 9\n\001\n\00100ff exit 0\n";
        for (int at = 0; at <= text.length(); at++) {
            final GuestStream stream = stream(text, at);
            assertThat(read(stream)).isEqualTo("a\001b\00100fe exit 9\n\001\n");
            assertThat(stream.exitCode()).isZero();
            assertThat(heard).isEmpty();
        }
    }

    @Test
    void aLostConnectionIsNoSuccess() throws IOException {
        final String text = "half a line\00100ff ex";
        for (int at = 0; at <= text.length(); at++) {
            final GuestStream stream = stream(text, at);
            assertThat(read(stream)).startsWith("half a line");
            assertThat(stream.exitCode()).isEqualTo(GuestStream.LOST);
        }
    }

    @Test
    void nothingIsReadAfterTheEnd() throws IOException {
        final GuestStream stream = stream("x\00100ff exit 1\nsomething that a child left behind", 5);
        assertThat(read(stream)).isEqualTo("x");
        assertThat(stream.read()).isEqualTo(-1);
        assertThat(stream.exitCode()).isEqualTo(1);
    }
}
