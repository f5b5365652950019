package io.vhca.harness.drill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vhca.harness.cli.Tool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The drill in its short form, with real processes. */
@Timeout(600)
class DrillIT {
    private final Tool tool = new Tool();

    @TempDir
    private Path directory = Path.of("unset");

    private int run(final String... args) {
        final List<String> words = new ArrayList<>(List.of("drill"));
        words.addAll(List.of(args));
        return tool.run(words.toArray(String[]::new));
    }

    @Test
    void everyByteArrivesOnceThoughLinksDie() throws Exception {
        final Path json = directory.resolve("result.json");
        final int code = run(
                "--short", "--seed", "11", "--with", "bank,srq,ud,exs,rdp", "--report", directory.toString(), "--json",
                json.toString());
        assertThat(code).as(tool.all()).isZero();
        assertThat(tool.out())
                .contains("across 3 of 3 cuts", "SHA-256 equal", "the sum as before (6000000)", "0 lost, 0 doubled",
                        " came back, 0 twice", "exs: ",
                        "bytes came back over a socket, each once and in order",
                        "sockets in two processes came back, each once and in order")
                .doesNotContain("WRONG");
        assertThat(Files.readString(json)).contains("\"ok\": true", "\"survived\": 3");
        assertThat(Files.readString(directory.resolve("index.html"))).contains("PASSED");
    }

    @ParameterizedTest
    @ValueSource(strings = {"balance-rr", "balance-xor", "balance-tlb"})
    void everyByteArrivesOnceInTheOtherModes(final String mode) {
        final int code = run("--short", "--seed", "13", "--mode", mode);
        assertThat(code).as(tool.all()).isZero();
        assertThat(tool.out()).contains("across 3 of 3 cuts", "SHA-256 equal");
    }

    @ParameterizedTest
    @CsvSource({"drain, drains", "remove, removals", "primary, cuts", "flap, cuts", "gid, GID moves"})
    void everyByteArrivesOnceInTheOtherScenarios(final String scenario, final String what) {
        final int code = run("--short", "--seed", "17", "--scenario", scenario);
        assertThat(code).as(tool.all()).isZero();
        assertThat(tool.out()).contains("across 3 of 3 " + what, "SHA-256 equal");
    }

    @Test
    void aSoakGoesThroughOneKindOfCutsAfterTheOther() throws Exception {
        final Path json = directory.resolve("soak.json");
        final int code = run("--for", "20", "--seed", "19", "--json", json.toString());
        assertThat(code).as(tool.all()).isZero();
        assertThat(tool.out())
                .contains("SHA-256 equal", "the sum as before", "0 lost, 0 doubled", "soak: too short to tell")
                // How many there are in that time is the machine's; they are of one kind after the other.
                .containsPattern("across ([1-9][0-9]*) of \\1 cuts")
                // More than one look: it is not half a minute to each.
                .containsPattern("(?s)(after [0-9]+ s, process 0: \\[[0-9]+, [0-9]+, [0-9]+\\].*){2}");
        assertThat(Files.readString(json)).contains("\"ok\": true");
        assertThat(run("--for", "10", "--kill")).isEqualTo(2);
        assertThat(tool.all()).contains("--for goes with ");
    }

    @Test
    void theModesAreMeasuredAndDrawn() throws Exception {
        final Path json = directory.resolve("modes.json");
        final int code = run("--modes", "--short", "--report", directory.toString(), "--json", json.toString());
        assertThat(code).as(tool.all()).isZero();
        assertThat(tool.out()).contains("active-backup", "balance-rr", "balance-xor", "balance-tlb");
        assertThat(Files.readString(json)).contains("\"mode\": \"balance-tlb\"", "healedShare");
        assertThat(Files.readString(directory.resolve("modes.html"))).contains("Throughput in balance-tlb");
    }

    @Test
    void nobodyGetsThroughWhoMustNot() throws Exception {
        final Path json = directory.resolve("attack.json");
        final int code = run(
                "--attack", "--short", "--seed", "21", "--report", directory.toString(), "--json", json.toString());
        assertThat(code).as(tool.all()).isZero();
        assertThat(tool.out()).contains("PASSED: ", "stranger-req-recover", "spoofer-req-recover", "listener-replay");
        assertThat(Files.readString(json)).contains("\"attack\": \"stranger-sources-flood\"")
                .doesNotContain("\"ok\": false");
        assertThat(Files.readString(directory.resolve("attack.html"))).contains("PASSED", "bond.REQ_STRANGER");
    }

    @Test
    void aKilledReceiverGivesTheSenderANamedErrorInTime() {
        assertThat(run("--short", "--kill", "--recovery-timeout", "2000")).as(tool.all()).isZero();
        assertThat(tool.out()).contains("NO_PATH", "RETRY_EXC_ERR", "nothing hangs");
    }

    @Test
    void anAttackerInItsOwnNamespaceSpoofs() {
        assumeNamespaces();
        final int code = run(
                "--attack", "--short", "--fabric", "netns", "--seed", "22", "--only",
                "onpath-replay|spoofer-req-recover|stranger-req-recover|listener-rc");
        assertThat(code).as(tool.all()).isZero();
        // Only who takes a packet for the peer's counts it so.
        assertThat(tool.out()).contains("PASSED: 5 attacks", "nic.DUPLICATES", "nic.DROP_WRONG_SOURCE");
    }

    private static void assumeNamespaces() {
        final boolean isPossible = "root".equals(System.getProperty("user.name")) && canUseNamespaces();
        if (!isPossible) {
            System.out.println("SKIPPED: drill --fabric netns needs root, ip(8) and network namespaces");
        }
        assumeTrue(isPossible);
    }

    @Test
    void realInterfacesGoDown() {
        assumeNamespaces();
        assertThat(run("--short", "--fabric", "netns", "--seed", "12", "--with", "exs,rdp")).as(tool.all()).isZero();
        assertThat(tool.out()).contains(
                "across 3 of 3 cuts", "came back over a socket, each once and in order",
                "datagrams of 25 sockets in two processes came back, each once and in order");
    }

    /** By a name that no drill has: whether the fabric itself works is what the tests are for. */
    private static boolean canUseNamespaces() {
        final String name = "vhca-probe-" + ProcessHandle.current().pid();
        return ip("netns", "add", name) && ip("netns", "del", name);
    }

    private static boolean ip(final String... args) {
        final List<String> command = new ArrayList<>(List.of("ip"));
        command.addAll(List.of(args));
        try {
            final Process process = new ProcessBuilder(command).inheritIO().start();
            return process.waitFor() == 0;
        } catch (final IOException e) {
            System.out.println(e.getMessage());
            return false;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Test
    void badInputIsNamed() {
        assertThat(run("--scenarios")).isZero();
        assertThat(tool.out()).contains("flap");
        isRefused(3, "/no/such/file is no readable file", "--input", "/no/such/file");
        isRefused(2, "--window", "--window", "0");
        isRefused(2, "'802.3ad' is no mode; there are active-backup", "--mode", "802.3ad");
        isRefused(2, "without --kill", "--scenario", "drain", "--kill");
        isRefused(2, "without --with", "--kill", "--with", "bank");
        isRefused(2, "token-ring", "--fabric", "token-ring");
        isRefused(2, "--fabric is loopback or netns", "--fabric", "lab");
        isRefused(2, "--fabric is loopback or netns", "--attack", "--only", "no such attack", "--fabric", "lab");
    }

    private void isRefused(final int code, final String why, final String... args) {
        assertThat(run(args)).as(tool.all()).isEqualTo(code);
        assertThat(tool.err()).contains(why);
    }
}
