package io.vhca.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.Charset;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostTextTest {
    private static final int ENOTDIR = 20;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    /** In whatever language this test runs. */
    @Test
    void isTheReasonThatTheFileSystemGives() throws IOException {
        final Path file = Files.createFile(directory.resolve("file"));
        assertThatThrownBy(() -> Files.newInputStream(file.resolve("below")).close())
                .isInstanceOfSatisfying(FileSystemException.class, e ->
                        assertThat(HostText.of(ENOTDIR)).isEqualTo(e.getReason()));
        assertThat(HostText.of(Errno.EMFILE)).isNotEqualTo(HostText.of(ENOTDIR));
    }

    /** As on hosts in Western Europe before UTF-8, in China and in Japan. */
    @ParameterizedTest
    @ValueSource(strings = {"ISO-8859-15", "GB18030", "EUC-JP", "UTF-8", "US-ASCII"})
    void isReadInAnyEncoding(final String name) {
        final Charset encoding = Charset.forName(name);
        final String text = encoding.newEncoder().canEncode('\u20ac') ? "zu viele \u20ac" : "too many";
        final byte[] bytes = (text + '\0').getBytes(encoding);
        assertThat(HostText.decoded(MemorySegment.ofArray(bytes), encoding)).isEqualTo(text);
    }
}
