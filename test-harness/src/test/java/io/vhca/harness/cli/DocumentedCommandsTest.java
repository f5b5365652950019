package io.vhca.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.vhca.tool.Vhca;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Every command line of the README and the documents is one that the tool understands. */
class DocumentedCommandsTest {
    private static final Pattern COMMAND = Pattern.compile("\\./vhca((?: [^\\s`#|]+)*)");

    /** In the midst of a sentence: what follows the command's words may stand for something. */
    private static final Pattern MENTIONED = Pattern.compile("`vhca\\s+([^`]+)`");

    private static List<String> commands(final Path document) throws IOException {
        final List<String> commands = new ArrayList<>();
        final Matcher matcher = COMMAND.matcher(Files.readString(document));
        while (matcher.find()) {
            commands.add(matcher.group(1).strip());
        }
        return commands;
    }

    private static List<Path> documents() throws IOException {
        final List<Path> documents = new ArrayList<>(List.of(ToolProcess.root().resolve("README.md")));
        try (Stream<Path> all = Files.list(ToolProcess.root().resolve("docs"))) {
            all.filter(file -> file.toString().endsWith(".md")).sorted().forEach(documents::add);
        }
        return documents;
    }

    /** The words that name no command; {@code add|remove} are two. */
    private static List<String> unknown(final CommandLine tool, final List<String> words) {
        final List<String> unknown = new ArrayList<>();
        for (final String word : words.isEmpty() ? List.<String>of() : List.of(words.getFirst().split("\\|"))) {
            final CommandLine command = tool.getSubcommands().get(word);
            if (command != null) {
                unknown.addAll(unknown(command, words.subList(1, words.size())));
            } else if (!word.startsWith("-") && !(tool.getCommand() instanceof Callable) && isParent(tool)) {
                unknown.add(word);
            }
        }
        return unknown;
    }

    private static boolean isParent(final CommandLine command) {
        return !command.getSubcommands().isEmpty();
    }

    @Test
    void commandsThatAreMentionedAreThere() throws IOException {
        final CommandLine tool = Vhca.commandLine();
        int count = 0;
        for (final Path document : documents()) {
            final Matcher matcher = MENTIONED.matcher(Files.readString(document));
            for (; matcher.find(); count++) {
                assertThat(unknown(tool, List.of(matcher.group(1).split("\\s+"))))
                        .as("%s: vhca %s", document.getFileName(), matcher.group(1))
                        .isEmpty();
            }
        }
        assertThat(count).isPositive();
        assertThat(unknown(tool, List.of("show", "qp"))).containsExactly("show");
        assertThat(unknown(tool, List.of("bond", "set|move", "bond0"))).containsExactly("move");
        assertThat(unknown(tool, List.of("dump", "bond0"))).isEmpty();
    }

    @Test
    void theToolUnderstandsThemAll() throws IOException {
        final List<Path> documents = documents();
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
