package io.vhca.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.JvmFlag.Need;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The flags of the JVM: one list in code, build and documents; what a JVM without one of them says. */
class JvmFlagTest {
    private static String read(final String file) throws IOException {
        Path root = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(root.resolve("vhca-api"))) {
            root = Objects.requireNonNull(root.getParent(), "not inside the checkout");
        }
        return Files.readString(root.resolve(file));
    }

    private static String flags() {
        return Arrays.stream(JvmFlag.values()).map(JvmFlag::text).collect(Collectors.joining(" "));
    }

    @Test
    void theBuildHasTheSameFlags() throws IOException {
        assertThat(read("pom.xml")).contains("<vhca.jvm.flags>" + flags() + "</vhca.jvm.flags>");
    }

    @Test
    void theDocumentHasThemAsAFileAndAsATable() throws IOException {
        final String using = read("docs/USING.md");
        assertThat(using).contains("```text jvm.flags\n" + flags().replace(' ', '\n') + "\n```\n");
        for (final JvmFlag flag : JvmFlag.values()) {
            assertThat(using)
                    .contains("| `" + flag.text() + "` | " + flag.need().text() + " | " + flag.neededBy() + " |\n");
        }
    }

    @Test
    void thisJvmHasThemAll() {
        for (final Need need : Need.values()) {
            assertThat(JvmFlag.missing(need, JvmFlag.class.getModule())).isEmpty();
        }
    }

    @Test
    void whatANamedModuleLacksIsNamedForIt() {
        assertThat(JvmFlag.missing(Need.ALWAYS, ModuleLayer.boot().findModule("java.sql").orElseThrow()))
                .containsExactly("--add-exports=java.base/jdk.internal.misc=java.sql");
    }

    @Test
    void modulesThatLackTheSameFlagAreNamedTogether() {
        final Module sql = ModuleLayer.boot().findModule("java.sql").orElseThrow();
        final Module xml = ModuleLayer.boot().findModule("java.xml").orElseThrow();
        assertThat(JvmFlag.missing(Need.JOURNAL, sql, JvmFlag.class.getModule(), xml, sql))
                .containsExactly(
                        "--add-exports=java.base/sun.nio.ch=java.sql,java.xml",
                        "--add-opens=java.base/java.lang.reflect=java.sql,java.xml");
    }

    /** A JVM of its own with these flags; what it prints, both streams together. */
    private static String run(final Predicate<JvmFlag> with, final String use)
            throws IOException, InterruptedException {
        final List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElse("java"));
        Arrays.stream(JvmFlag.values()).filter(with).map(JvmFlag::text).forEach(command::add);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), FirstUse.class.getName(), use));
        final ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        // Of each a JVM says that it has picked it up.
        builder.environment().keySet().removeAll(Set.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"));
        final Process process = builder.start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output;
    }

    @ParameterizedTest
    @ValueSource(strings = {"list", "open"})
    void aMissingFlagIsOneSentenceAtFirstUse(final String use) throws IOException, InterruptedException {
        assertThat(run(flag -> flag != JvmFlag.AGRONA, use).lines())
                .containsExactly("Exception in thread \"main\" io.vhca.api.VerbsException: getDeviceList on this JVM"
                        + " failed (EOPNOTSUPP): vHCA needs the flag " + JvmFlag.AGRONA.text() + ": add it to the"
                        + " command line of java (it is for " + JvmFlag.AGRONA.neededBy() + "); docs/USING.md lists"
                        + " all flags");
    }

    @Test
    void memoryThatIsUsedBeforeADeviceNamesItToo() throws IOException, InterruptedException {
        assertThat(run(flag -> flag != JvmFlag.AGRONA, "memory"))
                .contains("vHCA needs the flag " + JvmFlag.AGRONA.text());
    }

    @Test
    void noFlagOfTheJournalIsNeededWithoutOne() throws IOException, InterruptedException {
        assertThat(run(flag -> flag == JvmFlag.AGRONA || flag == JvmFlag.FOREIGN, "list")).isEqualTo("used\n");
    }

    /** A program whose first use of vHCA is its argument. */
    static final class FirstUse {
        private FirstUse() {}

        public static void main(final String[] args) {
            switch (args[0]) {
                case "list" -> Devices.list();
                case "open" -> Devices.open("test0");
                default -> NativeMemory.segment(0, 0);
            }
            System.out.println("used");
        }
    }
}
