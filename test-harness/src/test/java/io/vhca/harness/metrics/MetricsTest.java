package io.vhca.harness.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.BondContext;
import io.vhca.harness.bond.OpenBond;
import io.vhca.harness.cli.StatusFiles;
import io.vhca.harness.cli.Tool;
import io.vhca.harness.status.SampleBond;
import io.vhca.ras.metrics.BondMetrics;
import io.vhca.ras.status.SeenBond;
import io.vhca.ras.status.StatusPublisher;
import io.vhca.tool.metrics.MetricsOutput;
import io.vhca.tool.metrics.MetricsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The metrics of bonds that are made up, and the command on one that is open. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MetricsTest {
    private static final Pattern SAMPLE =
            Pattern.compile("([a-z_]+)\\{((?:[a-z_]+=\"[^\"]*\",?)+)} (-?[0-9.]+(?:E-?[0-9]+)?)");
    private static final long NO_PID = 1L << 40;
    private static final int MOST_ROUNDS = 6;

    @RegisterExtension
    private final StatusFiles files = new StatusFiles();

    private final Tool tool = new Tool();

    /** Every sample by name and labels; each line must be one, or say what one is. */
    private static Map<String, Double> parse(final String text) {
        final Map<String, Double> samples = new HashMap<>();
        final Map<String, String> types = new HashMap<>();
        final Map<String, String> helps = new HashMap<>();
        for (final String line : text.lines().toList()) {
            final String[] words = line.split(" ", 4);
            if (line.startsWith("# TYPE ")) {
                assertThat(types.put(words[2], words[3])).as(line).isNull();
            } else if (line.startsWith("# HELP ")) {
                assertThat(helps.put(words[2], words[3])).as(line).isNull();
            } else {
                final Matcher sample = SAMPLE.matcher(line);
                assertThat(sample.matches()).as(line).isTrue();
                assertThat(types).as(line).containsKey(sample.group(1));
                assertThat(helps).as(line).containsKey(sample.group(1));
                assertThat(samples.put(sample.group(1) + "{" + sample.group(2) + "}",
                                Double.parseDouble(sample.group(3))))
                        .as(line)
                        .isNull();
            }
        }
        types.forEach((name, type) -> {
            assertThat(name).startsWith("vhca_bond_");
            assertThat(name.endsWith("_total")).as(name).isEqualTo(type.equals("counter"));
        });
        return samples;
    }

    @Test
    void whatABondShowsIsThereInBaseUnits() {
        final long pid = ProcessHandle.current().pid();
        final String text = MetricsOutput.text(BondMetrics.of(
                Stream.of(
                                SampleBond.of("bond0", pid, 1),
                                SampleBond.of("bond1", pid, 2),
                                SampleBond.of("bond0", NO_PID, 1))
                        .map(bond -> SeenBond.of(bond, 3_000))
                        .toList()));
        final Map<String, Double> samples = parse(text);
        final String own = "bond=\"bond0\",pid=\"" + pid + "\"";
        final String member = "bond=\"bond0\",member=\"%s\",pid=\"" + pid + "\"";
        final String phase = "bond=\"bond0\",phase=\"%s\",pid=\"" + pid + "\"";
        assertThat(samples)
                .containsEntry("vhca_bond_up{" + own + "}", 1.0)
                .containsEntry("vhca_bond_up{bond=\"bond1\",pid=\"" + pid + "\"}", 0.0)
                .containsEntry("vhca_bond_up{bond=\"bond0\",pid=\"" + NO_PID + "\"}", 0.0)
                .containsEntry(
                        "vhca_bond_info{active_slave=\"soft1\",bond=\"bond0\",mode=\"active-backup\",pid=\"" + pid
                                + "\",primary=\"soft0\"}",
                        1.0)
                .containsEntry("vhca_bond_start_time_seconds{" + own + "}", 1.0)
                .containsEntry("vhca_bond_published_time_seconds{" + own + "}", 2.5)
                .containsEntry("vhca_bond_min_links{" + own + "}", 1.0)
                .containsEntry("vhca_bond_failovers_total{" + own + "}", 2.0)
                .containsEntry("vhca_bond_replayed_total{" + own + "}", 17.0)
                .containsEntry("vhca_bond_errors_total{" + own + "}", 5.0)
                .containsEntry("vhca_bond_queue_pairs{" + own + ",recovery=\"CONNECTED\",type=\"RC\"}", 2.0)
                .containsEntry("vhca_bond_queue_pairs{" + own + ",recovery=\"NONE\",type=\"UD\"}", 1.0)
                .containsEntry("vhca_bond_queue_pairs{" + own + ",recovery=\"WAITING\",type=\"RC\"}", 1.0)
                .containsEntry("vhca_bond_last_failover_seconds{" + phase.formatted("fence") + "}", 0.001)
                .containsEntry("vhca_bond_last_failover_seconds{" + phase.formatted("connect") + "}", 2.5)
                .containsEntry("vhca_bond_last_failover_seconds{" + phase.formatted("replay") + "}", 0.0005)
                .containsEntry("vhca_bond_health{" + own + ",reporter=\"member\"}", 0.0)
                .containsEntry("vhca_bond_health{" + own + ",reporter=\"thread\"}", 1.0)
                .containsEntry("vhca_bond_health_errors_total{" + own + ",reporter=\"member\"}", 3.0)
                .containsEntry("vhca_bond_health_recoveries_total{" + own + ",reporter=\"member\"}", 2.0)
                .containsEntry("vhca_bond_health_last_dump_seconds{" + own + ",reporter=\"member\"}", 0.0)
                .containsEntry("vhca_bond_health_grace_period_seconds{" + own + ",reporter=\"path\"}", 60.0)
                .containsEntry("vhca_bond_health_auto_recover{" + own + ",reporter=\"path\"}", 0.0)
                .containsEntry("vhca_bond_health_auto_dump{" + own + ",reporter=\"path\"}", 0.0)
                .containsEntry("vhca_bond_member_up{" + member.formatted("soft0") + "}", 0.0)
                .containsEntry("vhca_bond_member_up{" + member.formatted("soft1") + "}", 1.0)
                .containsEntry("vhca_bond_member_drained{" + member.formatted("soft0") + "}", 1.0)
                .containsEntry("vhca_bond_member_active{" + member.formatted("soft1") + "}", 1.0)
                .containsEntry("vhca_bond_member_queue_pairs{" + member.formatted("soft1") + "}", 2.0)
                .containsEntry("vhca_bond_member_link_failures_total{" + member.formatted("soft0") + "}", 3.0);
    }

    @Test
    void noBondsAreNoMetricsAndNoError() {
        assertThat(tool.run("metrics")).isZero();
        assertThat(tool.out()).isEmpty();
    }

    /** What a process makes before it writes its status, or leaves where it is killed right then, is no error. */
    @Test
    void anEmptyStatusFileIsOneThatIsNotThereYet() throws IOException {
        Files.createFile(files.directory().resolve("bond-e." + ProcessHandle.current().pid() + ".status"));
        assertThat(tool.run("metrics")).as(tool.all()).isZero();
        assertThat(tool.err()).isEmpty();
        assertThat(tool.run("status")).isEqualTo(3);
    }

    @Test
    void aDriverWhoseStatusCannotBeReadTakesNoBondAway() throws IOException {
        final long pid = ProcessHandle.current().pid();
        final Path file = Files.writeString(files.directory().resolve("x." + pid + ".rdp"), "garbage");
        Files.writeString(files.directory().resolve("x." + NO_PID + ".rdp"), "garbage of a process that is gone");
        try (BondContext bond = OpenBond.open("bond-d", 139)) {
            StatusPublisher.attach(bond);
            files.await(status -> !status.members().isEmpty());
            assertThat(tool.run("metrics")).as(tool.all()).isEqualTo(1);
            assertThat(tool.out()).contains("vhca_bond_up{bond=\"bond-d\",pid=\"" + pid + "\"}");
            assertThat(tool.err()).startsWith(file + " is no driver's status: ").hasLineCount(1);
        }
        assertThat(tool.run("rdp", "stats")).isEqualTo(1);
        assertThat(tool.out()).contains("no driver is open in a process of this user");
        assertThat(tool.err()).startsWith(file + " is no driver's status: ");
        assertThat(tool.run("rdp", "info")).isEqualTo(1);
    }

    @Test
    void theFileIsReplacedAsAWhole() throws IOException {
        final Path file = files.directory().resolve("vhca.prom");
        try (BondContext bond = OpenBond.open("bond-n", 141)) {
            StatusPublisher.attach(bond);
            files.await(status -> !status.members().isEmpty());
            assertThat(tool.run("metrics", "--file", file.toString())).isZero();
            assertThat(parse(Files.readString(file)))
                    .containsKey("vhca_bond_up{bond=\"bond-n\",pid=\"" + ProcessHandle.current().pid() + "\"}");
        }
        assertThat(tool.run("metrics", "--file", file.toString())).isZero();
        assertThat(file).isEmptyFile();
        assertThat(Files.list(files.directory())).containsExactly(file);
        final Path nowhere = files.directory().resolve("no/such/vhca.prom");
        assertThat(tool.run("metrics", "--file", nowhere.toString())).isEqualTo(3);
        assertThat(tool.err()).contains("cannot be written", "directory that is there");
        for (final Path taken : List.of(files.directory(), Path.of("/"))) {
            assertThat(tool.run("metrics", "--file", taken.toString())).isEqualTo(3);
            assertThat(tool.err()).contains(taken + " cannot be written: ", "it is a directory");
        }
        assertThat(Files.list(files.directory())).as("nothing half done is left").containsExactly(file);
    }

    /** What a client loads for its first request may take it longer than a server waits for that: it is made again. */
    private static HttpResponse<String> first(final HttpClient client, final HttpRequest request)
            throws IOException, InterruptedException {
        for (int round = 1; ; round++) {
            try {
                return client.send(request, HttpResponse.BodyHandlers.ofString());
            } catch (final IOException e) {
                if (round == MOST_ROUNDS) {
                    throw e;
                }
            }
        }
    }

    @Test
    void theServerReadsAnewAtEachRequest() throws IOException, InterruptedException {
        final Thread server = Thread.ofPlatform().start(() -> tool.run("metrics", "--listen", "127.0.0.1:0"));
        final Matcher address = Pattern.compile("serving (http://127.0.0.1:[1-9]\\d*/metrics)").matcher("");
        while (!address.reset(tool.out()).find()) {
            Thread.yield();
        }
        try (HttpClient client = HttpClient.newHttpClient()) {
            final HttpRequest request = HttpRequest.newBuilder(URI.create(address.group(1))).build();
            final HttpResponse<String> before = first(client, request);
            assertThat(before.statusCode()).isEqualTo(200);
            assertThat(before.body()).isEmpty();
            try (BondContext bond = OpenBond.open("bond-o", 143)) {
                StatusPublisher.attach(bond);
                String body;
                do {
                    body = client.send(request, HttpResponse.BodyHandlers.ofString()).body();
                } while (!body.contains("vhca_bond_member_up{"));
                assertThat(parse(body))
                        .containsKey("vhca_bond_up{bond=\"bond-o\",pid=\"" + ProcessHandle.current().pid() + "\"}");
            }
        }
        server.interrupt();
        server.join();
    }

    /** As a scraper that hangs, or somebody who wants it to: more of them than the server had threads for. */
    @Test
    void requestsThatAreHalfSaidKeepNobodyWaitingAndAreEnded() throws IOException, InterruptedException {
        final List<Socket> half = new ArrayList<>();
        try (MetricsServer server = MetricsOutput.serve(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        () -> BondMetrics.of(List.of(SeenBond.of(SampleBond.of("bond0", NO_PID, 1), 1))));
                HttpClient warm = HttpClient.newHttpClient();
                HttpClient client = HttpClient.newHttpClient()) {
            final HttpRequest request = HttpRequest.newBuilder(
                            URI.create("http://127.0.0.1:" + server.port() + "/metrics"))
                    .build();
            assertThat(first(warm, request).statusCode()).isEqualTo(200); // over a connection of its own
            for (int i = 0; i < 50; i++) {
                final Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
                half.add(socket);
                socket.getOutputStream().write("GET /metrics HT".getBytes(StandardCharsets.US_ASCII));
            }
            // All of them are still open: nobody is served because another was given up.
            assertThat(client.send(request, HttpResponse.BodyHandlers.ofString()).body()).contains("vhca_bond_up{");
            assertThat(half.getFirst().getInputStream().read()).as("closed in its time").isEqualTo(-1);
        } finally {
            for (final Socket socket : half) {
                socket.close();
            }
        }
    }

    @Test
    void oneMoreThanSixtyFourIsClosedUnheard() throws IOException {
        final List<Socket> half = new ArrayList<>();
        try (MetricsServer server = MetricsOutput.serve(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                () -> BondMetrics.of(List.of(SeenBond.of(SampleBond.of("bond0", NO_PID, 1), 1))))) {
            // Those that a slow machine needed more than their time for are closed, and others take their place.
            String refused = answer(server.port());
            for (int round = 0; round < MOST_ROUNDS && !refused.isEmpty(); round++) {
                for (int i = 0; i < 64; i++) {
                    final Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
                    half.add(socket);
                    socket.getOutputStream().write("GET /metrics HT".getBytes(StandardCharsets.US_ASCII));
                }
                refused = answer(server.port());
            }
            assertThat(refused).as("there are 64").isEmpty();
            for (final Socket socket : half) {
                socket.close();
            }
            String served = "";
            while (served.isEmpty()) {
                served = answer(server.port());
            }
            assertThat(served).startsWith("HTTP/1.1 200");
        } finally {
            for (final Socket socket : half) {
                socket.close();
            }
        }
    }

    /** To a whole request; empty where the server closes the connection instead. */
    private static String answer(final int port) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            final String request = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (final SocketException e) {
            return "";
        }
    }

    @Test
    void whereNoHostIsNamedItIsThisOne() throws InterruptedException {
        final Thread server = Thread.ofPlatform().start(() -> tool.run("metrics", "--listen", "0"));
        while (!tool.out().contains("serving http://127.0.0.1:")) {
            Thread.yield();
        }
        server.interrupt();
        server.join();
    }

    @Test
    void wrongUse() {
        assertThat(tool.run("metrics", "--listen", "nowhere")).isEqualTo(2);
        assertThat(tool.err()).contains("nowhere is no address; write PORT, or HOST:PORT");
        assertThat(tool.run("metrics", "--listen", "127.0.0.1:0", "--file", "x")).isEqualTo(2);
        assertThat(tool.run("metrics", "--listen", "192.0.2.1:9555")).isEqualTo(3);
        assertThat(tool.err()).contains("cannot be listened on");
    }
}
