package io.vhca.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever encoding this JVM has for the names of files. */
class PathBytesTest {
    @ParameterizedTest
    @ValueSource(strings = {
        "/", "/tmp", "/etc/vhca/rdp.access", "/no where/a%20b%", "relative", "a/../b", "../a", ".",
        "/a:b;c?d#e&f=g+h[i]"
    })
    void thoseOfPlainLettersAreTheirOwn(final String name) {
        assertThat(PathBytes.of(Path.of(name))).asString(StandardCharsets.US_ASCII).isEqualTo(name);
    }

    @Test
    void eachByteIsKept() {
        for (int value = 1; value <= 255; value++) {
            if (value != '/') {
                final Path path = Path.of(URI.create(String.format(Locale.ROOT, "file:///none/a%%%02Xb", value)));
                assertThat(PathBytes.of(path))
                        .asString(StandardCharsets.ISO_8859_1)
                        .isEqualTo("/none/a" + (char) value + "b");
                assertThat(PathBytes.of(path.getFileName()))
                        .asString(StandardCharsets.ISO_8859_1)
                        .isEqualTo("a" + (char) value + "b");
            }
        }
    }
}
