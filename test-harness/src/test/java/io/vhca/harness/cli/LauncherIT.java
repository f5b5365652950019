package io.vhca.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.BondContext;
import io.vhca.harness.bond.OpenBond;
import io.vhca.ras.status.StatusPublisher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The launcher {@code ./vhca} on what this build has just compiled, always without a terminal. */
@Timeout(600)
class LauncherIT {
    @TempDir
    private Path elsewhere;

    /** For the one test that opens a bond itself. */
    @RegisterExtension
    private final StatusFiles files = new StatusFiles();

    private ToolProcess run(final Path program, final Map<String, String> environment, final String... args)
            throws IOException, InterruptedException {
        return ToolProcess.run(program, elsewhere, environment, args);
    }

    @Test
    void runsFromAnotherDirectoryThroughASymbolicLink() throws IOException, InterruptedException {
        final Path link = Files.createSymbolicLink(elsewhere.resolve("link"), ToolProcess.launcher());
        final ToolProcess result = run(link, Map.of("JAVA_HOME", System.getProperty("java.home")), "version");
        assertThat(result.code()).as(result.output()).isZero();
        assertThat(result.output()).contains("Java " + Runtime.version()).doesNotContain("building");
    }

    @Test
    void passesOptionsOfTheJvmAndTheExitCodeOn() throws IOException, InterruptedException {
        final ToolProcess result =
                run(ToolProcess.launcher(), Map.of("VHCA_JAVA_OPTS", "-Dvhca.soft=bad"), "example", "hello");
        assertThat(result.code()).as(result.output()).isEqualTo(3);
        assertThat(result.output()).contains("vhca.soft").doesNotContain("\tat ");
    }

    /** The exit code was 0, and a page that was cut short looked like a whole one. */
    @Test
    void whatCannotBePrintedIsSaidAndTheExitCodeSaysIt() throws IOException, InterruptedException {
        final ToolProcess result =
                ToolProcess.runInto(Path.of("/dev/full"), ToolProcess.launcher(), elsewhere, Map.of(), "version");
        assertThat(result.code()).as(result.output()).isEqualTo(3);
        assertThat(result.output()).contains("vhca: not all was printed").doesNotContain("\tat ");
    }

    /** Its writer stood between it and the stream, and never heard that nothing was written: it went on for ever. */
    @Test
    void whatPrintsAgainAndAgainEndsWhereNothingCanBePrinted() throws IOException, InterruptedException {
        // Without a bond it ends at once, for another reason: on a host with an old status file it had not.
        try (BondContext bond = OpenBond.open("bond-w", 157)) {
            StatusPublisher.attach(bond);
            files.await(status -> !status.members().isEmpty());
            final ToolProcess result = ToolProcess.runInto(
                    Path.of("/dev/full"), ToolProcess.launcher(), elsewhere,
                    Map.of("VHCA_STATUS_DIR", files.directory().toString()),
                    "status", "--watch", bond.device().name());
            assertThat(result.output()).contains("vhca: not all was printed").doesNotContain("\tat ");
            assertThat(result.code()).as(result.output()).isBetween(1, 3);
        }
    }

    @Test
    void aJournalThatCannotBeWrittenIsSaidAndTheBondRuns() throws IOException, InterruptedException {
        final Path taken = Files.writeString(elsewhere.resolve("taken"), "a file");
        final ToolProcess result = run(
                ToolProcess.launcher(),
                Map.of("VHCA_BOND", "bond0: members=soft0,soft1 journal=" + taken),
                "example", "hello", "--device", "bond0");
        assertThat(result.code()).as(result.output()).isZero();
        assertThat(result.output())
                .contains("journal " + taken + " of bond0 cannot be written: it is a file, and must be a directory")
                .doesNotContain("SLF4J", "\tat ");
    }

    @Test
    void aJournalIsWrittenAndReadWithoutAWordOfTheLibrariesBelow() throws IOException, InterruptedException {
        final Path journal = elsewhere.resolve("journal");
        final ToolProcess written = run(
                ToolProcess.launcher(),
                Map.of("VHCA_BOND", "bond0: members=soft0,soft1 journal=" + journal),
                "example", "hello", "--device", "bond0");
        assertThat(written.code()).as(written.output()).isZero();
        assertThat(written.output().lines()).containsExactly("hello, RDMA");
        final ToolProcess read = run(ToolProcess.launcher(), Map.of(), "journal", journal.toString());
        assertThat(read.code()).as(read.output()).isZero();
        assertThat(read.output()).endsWith(" events\n").doesNotContain("SLF4J", "WARN");
    }

    /** A JAVA_HOME too old is passed over: a JDK that fits is on this machine, as this test runs on one. */
    @Test
    void passesOverAJavaThatIsTooOld() throws IOException, InterruptedException {
        final Path java = Files.createDirectories(elsewhere.resolve("old/bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\necho 'openjdk version \"17.0.1\" 2021-10-19' >&2\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        final ToolProcess result = run(
                ToolProcess.launcher(),
                Map.of(
                        "JAVA_HOME", elsewhere.resolve("old").toString(),
                        "PATH", System.getProperty("java.home") + "/bin:" + System.getenv("PATH")),
                "version");
        assertThat(result.code()).as(result.output()).isZero();
        assertThat(result.output()).contains("Java " + Runtime.version());
    }

    /** Where there is no other; what it said itself, of its limits for instance, is the reason. */
    @Test
    void namesAJavaThatIsThereAndDoesNotStart() throws IOException, InterruptedException {
        final Path java = Files.createDirectories(elsewhere.resolve("broken/bin")).resolve("java");
        Files.writeString(
                java,
                "#!/bin/sh\necho Picked up JAVA_TOOL_OPTIONS: -Da=b\necho Error occurred\necho no room\nexit 1\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        final String find = Files.readString(ToolProcess.root().resolve(".mvn/find-java"));
        final Path script = Files.writeString(elsewhere.resolve("find"), find.replace("/usr/lib/jvm", "/no/such"));
        final ToolProcess result = run(
                Path.of("/bin/bash"),
                Map.of(
                        "JAVA_HOME", elsewhere.resolve("broken").toString(),
                        "PATH", java.getParent() + ":" + System.getenv("PATH")),
                script.toString());
        assertThat(result.code()).isEqualTo(3);
        assertThat(result.output())
                .startsWith("vhca: " + java + " does not start: Error occurred no room\nvhca: no JDK 25 or newer");
    }

    @Test
    void aProcessThatMayOpenFewFilesIsToldSo() throws IOException, InterruptedException {
        final ToolProcess result = run(
                Path.of("/bin/bash"), Map.of(), "-c", "ulimit -n 30; exec '" + ToolProcess.launcher() + "' version");
        assertThat(result.code()).as(result.output()).isEqualTo(3);
        assertThat(result.output()).isEqualTo(
                "vhca: a process may open 30 files, too few for Java; raise `ulimit -n`\n");
    }

    /** Options from the environment, as containers have, are said before the version that the launcher looks for. */
    @Test
    void findsAJavaThatSaysFirstWhatOptionsItPickedUp() throws IOException, InterruptedException {
        final ToolProcess result = run(
                ToolProcess.launcher(),
                Map.of(
                        "JAVA_HOME", System.getProperty("java.home"),
                        "JAVA_TOOL_OPTIONS", "-Dtold.by=the.tool",
                        "JDK_JAVA_OPTIONS", "-Dtold.by=the.launcher"),
                "version");
        assertThat(result.code()).as(result.output()).isZero();
        assertThat(result.output()).contains("Java " + Runtime.version());
    }

    /** A checkout that was never built. */
    private Path checkout() throws IOException {
        final Path checkout = Files.createDirectories(elsewhere.resolve("checkout"));
        Files.createDirectories(checkout.resolve(".mvn"));
        Files.createDirectories(checkout.resolve("vhca-tool/target"));
        for (final String file : List.of("vhca", "pom.xml", ".mvn/find-java")) {
            Files.copy(
                    ToolProcess.root().resolve(file), checkout.resolve(file), StandardCopyOption.COPY_ATTRIBUTES);
        }
        return checkout;
    }

    /** Puts a command before those of the PATH. */
    private void command(final String name, final String script) throws IOException {
        final Path command = Files.createDirectories(elsewhere.resolve("bin")).resolve(name);
        Files.writeString(command, "#!/bin/sh\n" + script + "\n");
        assertThat(command.toFile().setExecutable(true)).isTrue();
    }

    private Map<String, String> environment() {
        return Map.of(
                "CLASSES", System.getProperty("java.class.path"),
                "JAVA_HOME", System.getProperty("java.home"),
                "PATH", elsewhere.resolve("bin") + ":" + System.getenv("PATH"));
    }

    /** With a Maven that writes down where the classes of this test are. */
    @Test
    void saysThatItBuildsThoughNobodyLooksOn() throws IOException, InterruptedException {
        final Path checkout = checkout();
        command("mvn", "echo \"$CLASSES\" > vhca-tool/target/vhca.classpath");
        final ToolProcess first = run(checkout.resolve("vhca"), environment(), "version");
        assertThat(first.code()).as(first.output()).isZero();
        assertThat(first.output()).startsWith("vhca: building, once ...\n").contains("Java " + Runtime.version());
        assertThat(run(checkout.resolve("vhca"), environment(), "version").output()).doesNotContain("building");
    }

    /** It was as old as what was built, and never built: Maven had read it before. The first Maven edits it. */
    @Test
    void whatIsEditedWhileItBuildsIsBuiltNext() throws IOException, InterruptedException {
        final Path checkout = checkout();
        Files.createDirectories(checkout.resolve("vhca-tool/src/main"));
        command("mvn", "echo \"$CLASSES\" > vhca-tool/target/vhca.classpath\n"
                + "edited=vhca-tool/src/main/Edited.java\n"
                + "if [ ! -f $edited ]; then\n"
                + "  touch began; until [ -n \"$(find vhca-tool/src -name Edited.java -newer began)\" ]; do\n"
                + "    touch $edited; done\n"
                + "fi");
        for (final boolean isBuilding : new boolean[] {true, true, false}) {
            final ToolProcess result = run(checkout.resolve("vhca"), environment(), "version");
            assertThat(result.code()).as(result.output()).isZero();
            assertThat(result.output().contains("building, once")).as(result.output()).isEqualTo(isBuilding);
        }
        assertThat(checkout.resolve("vhca-tool/target").toFile().list()).containsExactly("vhca.classpath");
    }

    /** Both built, in the same directories. The first Maven waits until the other one builds, or is about to wait. */
    @Test
    void ofTwoThatAreStartedAtOnceOneBuilds() throws Exception {
        final Path checkout = checkout();
        command("make-pipe", "mkfifo pipe");
        assertThat(run(elsewhere.resolve("bin/make-pipe"), Map.of()).code()).isZero();
        final String pipe = "'" + elsewhere.resolve("pipe") + "'";
        final String isFirst = "mkdir '" + elsewhere + "/first-'$(basename \"$0\") 2> /dev/null";
        command("mvn", "if " + isFirst + "; then cat " + pipe + "; else echo > " + pipe + "; fi\n"
                + "echo \"$CLASSES\" > vhca-tool/target/vhca.classpath");
        command("flock", isFirst + " || echo > " + pipe + "\nPATH=${PATH#*:} exec flock \"$@\"");
        try (ExecutorService both = Executors.newVirtualThreadPerTaskExecutor()) {
            final Callable<ToolProcess> version = () -> run(checkout.resolve("vhca"), environment(), "version");
            final List<Future<ToolProcess>> runs = both.invokeAll(List.of(version, version));
            final ToolProcess one = runs.getFirst().get();
            final ToolProcess two = runs.getLast().get();
            assertThat(List.of(one.code(), two.code())).as(one.output() + two.output()).containsExactly(0, 0);
            assertThat(one.output() + two.output()).containsOnlyOnce("building, once");
        }
    }
}
