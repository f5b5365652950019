package io.vhca.harness.lab;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The examples and benchmarks of DiSNI and DaRPC, as they are on Central, and a program of this build for each kind of
 * endpoint group, compiled against 2.1, on rxe0 of both machines: servers in machine 2, clients in machine 1. One
 * thread.
 */
public final class LabDisni {
    /** A program, and what its client says when it has got what it asked for. */
    private enum Program {
        READ("disni-1", "com.ibm.disni.examples.Read", "", "read memory from server: This is a RDMA/read on stag"),
        SEND_RECV("disni-1", "com.ibm.disni.examples.SendRecv", "", "Message from the server: Hello from the server"),
        VERBS("disni-1", "com.ibm.disni.examples.Verbs", "", "read memory from server: This is a RDMA/read on stag"),
        READ_BENCHMARK("disni-1", "com.ibm.disni.benchmarks.Read", "-s 3000 -k 100", "ReadClient, latency"),
        MESSAGE_BENCHMARK("disni-1", "com.ibm.disni.benchmarks.SendRecv", "-s 64 -k 200", "iops"),
        REMOTE_PROCEDURES(
                "d", "com.ibm.darpc.examples.", "-k 50 -n 2 -c 2 -m stream-take -b 4", "throughput") {
            @Override
            String main(final String role) {
                return name + role.toLowerCase(Locale.ROOT) + ".DaRPC" + role;
            }

            @Override
            String options(final String role) {
                return role.equals("Server") ? "" : super.options(role);
            }

            @Override
            boolean needs(final String jar) {
                return super.needs(jar) && !jar.startsWith("disni-1");
            }
        },
        PASSIVE_GROUP("ReadProgram", "", "what the server has"),
        ACTIVE_GROUP("EchoProgram", "200", "echoed 200"),
        GROUPS_OF_DARPC("RpcProgram", "200", "answered 200");

        private static final String OWN = "io.vhca.disni.program.";
        private static final int PORT = 1919;

        private final String jars;
        final String name;
        private final String options;
        private final String proof;

        Program(final String jars, final String name, final String options, final String proof) {
            this.jars = jars;
            this.name = name;
            this.options = options;
            this.proof = proof;
        }

        /** A program of this build; DaRPC is made for 2.x. */
        Program(final String name, final String options, final String proof) {
            this("d", OWN + name, options, proof);
        }

        private boolean isOwn() {
            return name.startsWith(OWN);
        }

        /** @param role Server or Client */
        String main(final String role) {
            return isOwn() ? name : name + role;
        }

        String arguments(final String role) {
            return isOwn()
                    ? (role.equals("Server") ? "serve " : "ask ") + SERVER_ADDRESS + " " + PORT + " " + options
                    : "-a " + SERVER_ADDRESS + " " + options(role);
        }

        String options(final String role) {
            return options;
        }

        /** True for a jar that goes on its class path. */
        boolean needs(final String jar) {
            return jar.startsWith(jars) && !(isOwn() && jar.startsWith("disni-1")) || jar.startsWith("commons-")
                    || jar.startsWith("slf4j-");
        }
    }

    private static final long LIMIT_NS = TimeUnit.MINUTES.toNanos(15);
    private static final String DEVICE = "rxe0";
    private static final String SERVER_ADDRESS = "10.77.0.2";

    /** Some servers never end; all end with the client. */
    private static final String SERVER = String.format(
            Locale.ROOT,
            """
            server() {
                local name=$1 process
                shift
                timeout 120 "$@" > /run/lab/disni.log 2>&1 &
                process=$!
                listening %d 60 || tail -n 3 /run/lab/disni.log
                barrier "$name" && barrier "$name-done"
                kill "$process" 2> /dev/null
                wait "$process"
            }
            """,
            Program.PORT);

    private static final String CLIENT =
            """
            client() {
                local name=$1 proof=$2
                shift 2
                barrier "$name" || return
                cd /run/lab && timeout 100 "$@" > /run/lab/disni.log 2>&1
                if grep -qF "$proof" /run/lab/disni.log; then
                    echo "part $name passed"
                else
                    echo "part $name $(tail -n 1 /run/lab/disni.log)"
                fi
                barrier "$name-done"
            }
            """;

    private final Path module;
    private final PrintWriter out;

    /** @param project the directory of the whole build */
    public LabDisni(final Path project, final PrintWriter out) {
        module = project.resolve("vhca-disni/target");
        this.out = out;
    }

    /** Runs all programs; true when every client got what it asked for. */
    public boolean run(final Lab lab) throws IOException, InterruptedException {
        lab.endJvms();
        lab.mend();
        final Map<Integer, Machine.Outcome> outcomes = new LabJobs(
                        lab,
                        Map.of(1, CLIENT + script("client", "Client"), 2, SERVER + script("server", "Server")),
                        LIMIT_NS,
                        new PrintWriter(Writer.nullWriter()))
                .run();
        final Map<String, String> parts =
                LabInterop.parts(Objects.requireNonNull(outcomes.get(1)).output());
        boolean ok = true;
        for (final Program program : Program.values()) {
            final String verdict = parts.getOrDefault(program.name(), "not reached");
            out.printf(Locale.ROOT, "%-45s  %s%n", program.main("Client"), verdict);
            ok &= verdict.equals("passed");
        }
        out.flush();
        return ok;
    }

    private String script(final String function, final String role) throws IOException {
        final StringBuilder script = new StringBuilder();
        for (final Program program : Program.values()) {
            script.append(function).append(' ').append(program.name());
            if (role.equals("Client")) {
                script.append(" '").append(program.proof).append('\'');
            }
            script.append(' ').append(LabPeer.quoted(words(program, role))).append(' ')
                    .append(program.arguments(role)).append('\n');
        }
        return script.toString();
    }

    /** This module's classes stand before DiSNI's. */
    private List<String> words(final Program program, final String role) throws IOException {
        final List<String> words =
                LabPeer.words(List.of("vhca.disni.device=" + DEVICE), program.main(role), List.of());
        final int classPath = words.indexOf("-cp") + 1;
        try (Stream<Path> jars = Files.list(module.resolve("jars"))) {
            final Stream<String> needed =
                    jars.filter(jar -> program.needs(jar.getFileName().toString())).map(Path::toString);
            words.set(
                    classPath,
                    Stream.concat(
                                    Stream.of(
                                            module.resolve("classes").toString(),
                                            module.resolve("test-classes").toString(), words.get(classPath)),
                                    needed)
                            .collect(Collectors.joining(":")));
        }
        return words;
    }
}
