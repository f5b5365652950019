package io.vhca.tool.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.tool.Vhca;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The man page tells of every command and option, and groff has nothing to say against it. */
class ManualPageTest {
    private final String page = ManualPage.of(Vhca.commandLine().getCommandSpec());

    @TempDir
    private Path directory;

    @Test
    void hasTheSectionsOfAManPageInTheirOrder() {
        assertThat(page.lines().filter(line -> line.startsWith(".SH") || line.startsWith(".TH")))
                .satisfies(lines -> assertThat(lines.getFirst()).startsWith(".TH \"VHCA\" \"1\" \"\" \"vhca "))
                .filteredOn(line -> line.startsWith(".SH"))
                .containsExactly(
                        ".SH \"NAME\"", ".SH \"SYNOPSIS\"", ".SH \"OPTIONS\"", ".SH \"COMMANDS\"",
                        ".SH \"EXIT STATUS\"", ".SH \"ENVIRONMENT\"", ".SH \"EXAMPLES\"");
    }

    @Test
    void tellsOfEveryCommandAndItsOptions() {
        tellsOf(Vhca.commandLine());
        assertThat(page).doesNotContain("${", "%n");
    }

    private void tellsOf(final CommandLine above) {
        above.getSubcommands().values().forEach(command -> {
            assertThat(page).contains(".SS \"" + command.getCommandSpec().qualifiedName().replace("-", "\\-") + "\"\n");
            command.getCommandSpec().options().stream()
                    .filter(option -> !option.hidden())
                    .forEach(option -> assertThat(page).contains(option.longestName().replace("-", "\\-")));
            tellsOf(command);
        });
    }

    @Test
    void groffFormatsItWithoutAWarning() throws IOException, InterruptedException {
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/groff")), "no groff here");
        final Path file = Files.writeString(directory.resolve("vhca.1"), page);
        final Process groff = new ProcessBuilder("groff", "-man", "-ww", "-Tutf8", file.toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        final String warnings = new String(groff.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(groff.waitFor()).isZero();
        assertThat(warnings).isEmpty();
    }
}
