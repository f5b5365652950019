package io.vhca.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.vhca.tool.Vhca;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every command line of the README and the documents is one that the tool understands. */
class DocumentedCommandsTest {
    private static final Pattern COMMAND = Pattern.compile("\\./vhca((?: [^\\s`#|]+)*)");

    private static List<String> commands(final Path document) throws IOException {
        final List<String> commands = new ArrayList<>();
        final Matcher matcher = COMMAND.matcher(Files.readString(document));
        while (matcher.find()) {
            commands.add(matcher.group(1).strip());
        }
        return commands;
    }

    @Test
    void theToolUnderstandsThemAll() throws IOException {
        final List<Path> documents = new ArrayList<>(List.of(ToolProcess.root().resolve("README.md")));
        try (Stream<Path> all = Files.list(ToolProcess.root().resolve("docs"))) {
            all.filter(file -> file.toString().endsWith(".md")).sorted().forEach(documents::add);
        }
        for (final Path document : documents) {
            for (final String command : commands(document)) {
                final String[] words = command.isEmpty() ? new String[0] : command.split(" ");
                assertThatCode(() -> Vhca.commandLine().parseArgs(words))
                        .as("%s: ./vhca %s", document.getFileName(), command)
                        .doesNotThrowAnyException();
            }
        }
        assertThat(commands(documents.getFirst())).contains("drill", "example hello", "example hello --device bond0");
    }

    private static String program(final Path file) throws IOException {
        final String text = Files.readString(file);
        final int main = text.indexOf("public static void main");
        return text.substring(main, text.indexOf("receiveText()", main)).replaceAll("\\s+", " ");
    }

    @Test
    void theProgramOfTheDocumentsIsTheExample() throws IOException {
        final Path root = ToolProcess.root();
        final String example = program(root.resolve("examples/src/main/java/io/vhca/examples/Hello.java"));
        assertThat(program(root.resolve("README.md"))).isEqualTo(example);
        assertThat(program(root.resolve("docs/USING.md"))).isEqualTo(example);
    }
}
