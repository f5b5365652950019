package io.vhca.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProcessUserTest {
    @TempDir
    private Path own;

    @Test
    void isWhoseItsFilesAre() throws IOException {
        assertThat(ProcessUser.number()).isEqualTo(Integer.toUnsignedLong((int) Files.getAttribute(own, "unix:uid")));
    }

    @Test
    void goesByItsName() {
        assertThat(ProcessUser.label("oracle")).isEqualTo("oracle");
        assertThat(ProcessUser.label()).isEqualTo(ProcessUser.label(System.getProperty("user.name")));
    }

    /** The JDK calls all of them "?": two of them are two users. */
    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"?", "", " "})
    void withoutANameItGoesByItsNumber(final @Nullable String name) throws IOException {
        assertThat(ProcessUser.label(name)).isEqualTo(Long.toString(ProcessUser.number()));
    }
}
