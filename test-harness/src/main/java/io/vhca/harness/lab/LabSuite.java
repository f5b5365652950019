package io.vhca.harness.lab;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The conformance suite in the machines: on rxe0 and on a bond with the strictest options in one, on a bond as it is by
 * default in the other, at the same time. One thread.
 */
public final class LabSuite {
    /** What a machine runs and how it went. */
    public record Verdict(String suite, boolean ok) {}

    /** What a machine runs. */
    private record Suite(List<String> classes, List<String> properties) {
        String name() {
            return String.join(", ", classes);
        }
    }

    private static final String MAIN = "io.vhca.harness.conformance.ConformanceMain";
    private static final String DEVICE = "vhca.conformance.device=rxe0";
    private static final String MEMBERS = "vhca.conformance.members=rxe0,rxe1";
    private static final Map<Integer, Suite> SUITES = Map.of(
            1,
            new Suite(List.of("VerbsConformanceTest", "StrictBondOverVerbsConformanceTest"), List.of(DEVICE, MEMBERS)),
            2,
            new Suite(List.of("BondOverVerbsConformanceTest", "SnapshotOverVerbsTest"), List.of(MEMBERS)));
    private static final long LIMIT_NS = TimeUnit.MINUTES.toNanos(12);

    private final Path project;
    private final PrintWriter out;

    /** @param project the directory of the whole build */
    public LabSuite(final Path project, final PrintWriter out) {
        this.project = project;
        this.out = out;
    }

    /** Compiles the tests where they are newer than what was compiled; to be called before the machines boot. */
    public void compile() throws IOException, InterruptedException {
        if (!isStale(project)) {
            return;
        }
        out.println("lab: compiling the tests ...");
        out.flush();
        final String maven = HostCommand.exists("mvn") ? "mvn" : project.resolve("mvnw").toString();
        final HostCommand.Outcome outcome =
                HostCommand.run(project, maven, "-B", "-ntp", "-q", "test-compile");
        if (outcome.code() != 0) {
            throw new IOException("the tests do not compile: " + outcome.output());
        }
        // Maven leaves a file with the same words as it was.
        Files.setLastModifiedTime(classPathFile(), FileTime.from(Instant.now()));
    }

    /** Whether some source is newer than the last build of the tests, or they were never built. */
    static boolean isStale(final Path project) throws IOException {
        final Path built = classPathFile(project);
        if (!Files.exists(built) || !Files.isDirectory(testClasses(project))) {
            return true;
        }
        final FileTime since = Files.getLastModifiedTime(built);
        try (Stream<Path> modules = Files.list(project)) {
            for (final Path module : modules.toList()) {
                if (isNewer(module.resolve("pom.xml"), since) || isNewer(module.resolve("src"), since)) {
                    return true;
                }
            }
        }
        return isNewer(project.resolve("pom.xml"), since);
    }

    private static boolean isNewer(final Path tree, final FileTime since) throws IOException {
        if (!Files.exists(tree)) {
            return false;
        }
        try (Stream<Path> found = Files.find(
                tree, Integer.MAX_VALUE,
                (file, is) -> is.isRegularFile() && is.lastModifiedTime().compareTo(since) > 0)) {
            return found.findAny().isPresent();
        }
    }

    private Path classPathFile() {
        return classPathFile(project);
    }

    private Path testClasses() {
        return testClasses(project);
    }

    private static Path classPathFile(final Path project) {
        return project.resolve("test-harness/target/vhca-test.classpath");
    }

    private static Path testClasses(final Path project) {
        return project.resolve("test-harness/target/test-classes");
    }

    /** Runs both suites; what failed is printed with its trace. */
    public List<Verdict> run(final Lab lab) throws IOException, InterruptedException {
        lab.endJvms();
        lab.mend();
        final Map<Integer, String> scripts = new LinkedHashMap<>();
        for (final Map.Entry<Integer, Suite> suite : SUITES.entrySet()) {
            final List<String> words =
                    LabPeer.words(suite.getValue().properties(), MAIN, suite.getValue().classes());
            // The same JVM and flags, with the tests behind what they test.
            final int classPath = words.indexOf("-cp") + 1;
            words.set(
                    classPath,
                    words.get(classPath) + ":" + Files.readString(classPathFile()).strip() + ":" + testClasses());
            scripts.put(suite.getKey(), LabPeer.quoted(words));
        }
        final Map<Integer, Machine.Outcome> outcomes =
                new LabJobs(lab, scripts, LIMIT_NS, new PrintWriter(Writer.nullWriter())).run();
        final List<Verdict> verdicts = new ArrayList<>();
        outcomes.forEach((machine, outcome) -> verdicts.add(verdict(machine, outcome)));
        return verdicts;
    }

    private Verdict verdict(final int machine, final Machine.Outcome outcome) {
        final String suite = Objects.requireNonNull(SUITES.get(machine)).name();
        final String summary = outcome.output()
                .lines()
                .filter(line -> line.startsWith("conformance: "))
                .findFirst()
                .orElse("no verdict, exit code " + outcome.code() + (outcome.code() == 124 ? ": too slow" : ""));
        final boolean ok = outcome.code() == 0;
        out.println(suite + ": " + summary);
        if (!ok) {
            outcome.output().lines().filter(line -> !line.startsWith("passed ")).forEach(out::println);
        }
        out.flush();
        return new Verdict(suite, ok);
    }
}
