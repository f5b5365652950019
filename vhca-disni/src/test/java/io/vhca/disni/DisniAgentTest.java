package io.vhca.disni;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A program in one jar with DiSNI inside, as it is delivered: it runs in processes of its own, by the agent and without
 * any flag, and by the class path.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DisniAgentTest {
    private static final Path CLASSES = Path.of("target/classes");
    private static final String MAIN = "io.vhca.disni.program.ReadProgram";
    private static final String PORT = "2001";

    @TempDir
    private Path scratch;

    @Test
    void aJarWithDisniInsideRunsUnderTheAgent() throws Exception {
        final Path agent = agentJar();
        final Path program = programJar();
        assertRuns(List.of("-javaagent:" + agent, "-jar", program.toString()));
    }

    @Test
    void aJarWithDisniInsideRunsBehindThisModuleOnTheClassPath() throws Exception {
        final String classPath = CLASSES + ":" + DisniWorld.devicesOnly() + ":" + programJar();
        assertRuns(List.of("--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
                "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED", "-cp", classPath, MAIN));
    }

    /** Without the agent the program asks for the native library that nobody has: what the two tests above replace. */
    @Test
    void withoutThemTheNativeLibraryIsMissing() throws Exception {
        final Process process = start(
                DisniWorld.addressElsewhere(1), List.of("-jar", programJar().toString()), "ask", "127.0.0.1", PORT);
        assertThat(new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8))
                .contains("UnsatisfiedLinkError");
        assertThat(process.waitFor()).isNotZero();
    }

    /** As in a repository of Maven, where each jar has a directory of its own. */
    @Test
    void anAgentWithoutTheOtherJarsSaysThatItWantsThem() throws Exception {
        final Process process = start(
                DisniWorld.addressElsewhere(1),
                List.of("-javaagent:" + agentJar(""), "-jar", programJar().toString()), "ask", "127.0.0.1", PORT);
        assertThat(text(process.getErrorStream()))
                .contains("vhca-api and the other jars of vHCA are neither beside ", "name the agent in");
        assertThat(process.waitFor()).isNotZero();
    }

    private static void assertRuns(final List<String> command) throws Exception {
        final String host = DisniWorld.addressElsewhere(1);
        final Process server = start(host, command, "serve", host, PORT);
        try (BufferedReader said =
                new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8))) {
            assertThat(said.readLine())
                    .as(() -> text(server.getErrorStream()))
                    .isEqualTo("listening");
            final Process client = start(DisniWorld.addressElsewhere(2), command, "ask", host, PORT);
            final String read = text(client.getInputStream());
            assertThat(read).as(() -> text(client.getErrorStream())).isEqualTo("what the server has\n");
            assertThat(said.readLine()).isEqualTo("what the client wrote");
            assertThat(client.waitFor()).isZero();
            assertThat(server.waitFor()).isZero();
        } finally {
            server.destroyForcibly();
        }
    }

    private static String text(final InputStream in) {
        try {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (final IOException e) {
            return e.toString();
        }
    }

    private static Process start(final String address, final List<String> command, final String... arguments)
            throws IOException {
        final List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.add("-Dvhca.soft=soft0=" + address);
        line.add("-Dvhca.disni.device=soft0");
        line.addAll(command);
        line.addAll(List.of(arguments));
        return new ProcessBuilder(line).start();
    }

    /** The agent's jar, as the build makes it: its manifest leads to the jars of the devices. */
    private Path agentJar() throws IOException {
        return agentJar(String.join(
                " ",
                Stream.of(DisniWorld.devicesOnly().split(":"))
                        .map(entry -> Path.of(entry).toUri().toString())
                        .toList()));
    }

    private Path agentJar(final String classPath) throws IOException {
        final Manifest manifest = manifest();
        manifest.getMainAttributes().putValue("Premain-Class", DisniAgent.class.getName());
        manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, classPath);
        final Path jar = scratch.resolve("vhca-disni.jar");
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file, manifest)) {
            addTree(out, CLASSES, new HashSet<>());
        }
        return jar;
    }

    private Path programJar() throws IOException {
        final Manifest manifest = manifest();
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, MAIN);
        final Path jar = scratch.resolve("program.jar");
        final Set<String> names = new HashSet<>();
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file, manifest)) {
            addTree(out, Path.of("target/test-classes"), names);
            addJar(out, DisniWorld.jar("disni-2"), names);
            for (final String entry : System.getProperty("java.class.path").split(":")) {
                if (entry.contains("slf4j")) {
                    addJar(out, Path.of(entry), names);
                }
            }
        }
        return jar;
    }

    private static Manifest manifest() {
        final Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        return manifest;
    }

    private static void addTree(final JarOutputStream out, final Path root, final Set<String> names)
            throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            for (final Path file : files.filter(Files::isRegularFile).toList()) {
                add(out, root.relativize(file).toString(), Files.readAllBytes(file), names);
            }
        }
    }

    private static void addJar(final JarOutputStream out, final Path from, final Set<String> names)
            throws IOException {
        try (JarFile jar = new JarFile(from.toFile())) {
            for (final Enumeration<JarEntry> entries = jar.entries(); entries.hasMoreElements(); ) {
                final JarEntry entry = entries.nextElement();
                if (!entry.isDirectory()) {
                    try (InputStream in = jar.getInputStream(entry)) {
                        add(out, entry.getName(), in.readAllBytes(), names);
                    }
                }
            }
        }
    }

    private static void add(
            final JarOutputStream out, final String name, final byte[] bytes, final Set<String> names)
            throws IOException {
        if (!name.equals(JarFile.MANIFEST_NAME) && names.add(name)) {
            out.putNextEntry(new JarEntry(name));
            out.write(bytes);
            out.closeEntry();
        }
    }
}
