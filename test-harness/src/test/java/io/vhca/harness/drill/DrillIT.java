package io.vhca.harness.drill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vhca.harness.cli.Vhca;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The drill in its short form, with real processes. */
class DrillIT {
    private final StringWriter out = new StringWriter();

    @TempDir
    private Path directory = Path.of("unset");

    private int run(final String... args) {
        final List<String> words = new ArrayList<>(List.of("drill"));
        words.addAll(List.of(args));
        return Vhca.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(out, true))
                .execute(words.toArray(String[]::new));
    }

    @Test
    void everyByteArrivesOnceThoughLinksDie() throws Exception {
        final Path json = directory.resolve("result.json");
        final int code = run(
                "--short", "--seed", "11", "--with", "bank,srq", "--report", directory.toString(), "--json",
                json.toString());
        assertThat(code).as(out.toString()).isZero();
        assertThat(out.toString())
                .contains("across 3 of 3 cuts", "SHA-256 equal", "the sum as before (6000000)", "0 lost, 0 doubled");
        assertThat(Files.readString(json)).contains("\"ok\": true", "\"survived\": 3");
        assertThat(Files.readString(directory.resolve("index.html"))).contains("PASSED");
    }

    @ParameterizedTest
    @ValueSource(strings = {"balance-rr", "balance-xor", "balance-tlb"})
    void everyByteArrivesOnceInTheOtherModes(final String mode) {
        final int code = run("--short", "--seed", "13", "--mode", mode);
        assertThat(code).as(out.toString()).isZero();
        assertThat(out.toString()).contains("across 3 of 3 cuts", "SHA-256 equal");
    }

    @ParameterizedTest
    @CsvSource({"drain, drains", "remove, removals", "primary, cuts", "flap, cuts"})
    void everyByteArrivesOnceInTheOtherScenarios(final String scenario, final String what) {
        final int code = run("--short", "--seed", "17", "--scenario", scenario);
        assertThat(code).as(out.toString()).isZero();
        assertThat(out.toString()).contains("across 3 of 3 " + what, "SHA-256 equal");
    }

    @Test
    void theModesAreMeasuredAndDrawn() throws Exception {
        final Path json = directory.resolve("modes.json");
        final int code = run("--modes", "--short", "--report", directory.toString(), "--json", json.toString());
        assertThat(code).as(out.toString()).isZero();
        assertThat(out.toString()).contains("active-backup", "balance-rr", "balance-xor", "balance-tlb");
        assertThat(Files.readString(json)).contains("\"mode\": \"balance-tlb\"", "healedShare");
        assertThat(Files.readString(directory.resolve("modes.html"))).contains("Throughput in balance-tlb");
    }

    @Test
    void aKilledReceiverGivesTheSenderANamedErrorInTime() {
        assertThat(run("--short", "--kill", "--recovery-timeout", "2000")).as(out.toString()).isZero();
        assertThat(out.toString()).contains("NO_PATH", "RETRY_EXC_ERR", "nothing hangs");
    }

    @Test
    void realInterfacesGoDown() {
        final boolean isPossible = "root".equals(System.getProperty("user.name")) && canUseNamespaces();
        if (!isPossible) {
            System.out.println("SKIPPED: drill --fabric netns needs root, ip(8) and network namespaces");
        }
        assumeTrue(isPossible);
        assertThat(run("--short", "--fabric", "netns", "--seed", "12")).as(out.toString()).isZero();
        assertThat(out.toString()).contains("across 3 of 3 cuts");
    }

    private static boolean canUseNamespaces() {
        final NetnsFabric fabric = new NetnsFabric();
        try {
            fabric.setUp();
            return true;
        } catch (final IOException e) {
            System.out.println(e.getMessage());
            return false;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            fabric.close();
        }
    }

    @Test
    void badInputIsNamed() {
        assertThat(run("--input", "/no/such/file")).isEqualTo(3);
        assertThat(run("--window", "0")).isEqualTo(2);
        assertThat(run("--mode", "802.3ad")).isEqualTo(2);
        assertThat(run("--scenario", "drain", "--kill")).isEqualTo(2);
        assertThat(run("--scenarios")).isZero();
        assertThat(run("--fabric", "token-ring")).isEqualTo(2);
        assertThat(out.toString())
                .contains("/no/such/file is no readable file", "--window", "token-ring", "balance-tlb", "flap");
    }
}
