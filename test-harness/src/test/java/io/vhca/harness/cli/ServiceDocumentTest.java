package io.vhca.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every fault of the run book was made by a test that there is. */
class ServiceDocumentTest {
    private static final Pattern TEST = Pattern.compile("`(\\w+Test)\\.(\\w+)`");

    @Test
    void everyFaultHasItsTest() throws IOException {
        final List<MatchResult> named = TEST.matcher(
                        Files.readString(ToolProcess.root().resolve("docs").resolve("SERVICE.md")))
                .results()
                .toList();
        assertThat(named).hasSizeGreaterThanOrEqualTo(7);
        final List<Path> sources;
        try (Stream<Path> all = Files.walk(ToolProcess.root())) {
            sources = all.filter(file -> file.toString().contains("/src/test/")).toList();
        }
        for (final MatchResult test : named) {
            final Path source = sources.stream()
                    .filter(file -> file.endsWith(test.group(1) + ".java"))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("there is no " + test.group(1)));
            assertThat(Files.readString(source)).as(test.group()).contains("void " + test.group(2) + "(");
        }
    }
}
