package io.vhca.harness.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.harness.cli.Tool;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What of the lab needs no machine. */
class LabPartsTest {
    private final Tool tool = new Tool();

    @TempDir
    private Path directory = Path.of("unset");

    @Test
    void anArchiveIsWhatCpioReads() {
        final byte[] archive = new CpioArchive()
                .directory("bin")
                .file("bin/x", "hello".getBytes(StandardCharsets.US_ASCII))
                .finish();
        final String text = new String(archive, StandardCharsets.US_ASCII);
        assertThat(archive.length % 512).isZero();
        assertThat(text).startsWith("070701" + "00000001" + "000041ED").contains("TRAILER!!!");
        final int second = text.indexOf("070701", 6);
        assertThat(second).as("an entry begins at a multiple of four").isEqualTo(116);
        // Field 7 is the content's length, field 12 the name's with its zero.
        assertThat(text.substring(second + 6 + 6 * 8, second + 6 + 7 * 8)).isEqualTo("00000005");
        assertThat(text.substring(second + 6 + 11 * 8, second + 6 + 12 * 8)).isEqualTo("00000006");
        assertThat(text.indexOf("bin/x\0")).isEqualTo(second + 110);
        assertThat(text.indexOf("hello") % 4).isZero();
    }

    @Test
    void aSoakReadsWhatAMachineShows() {
        assertThat(LabSoak.parse("120000 49 16 4 6 4 6 8\n"))
                .hasSize(LabSoak.MEASURES.size())
                .containsExactly(120_000, 49, 16, 4, 6, 4, 6, 8);
    }

    @Test
    void theMachinesAreJoinedByTwoLinks() {
        final LabConfig config = LabConfig.in(directory);
        final LabKit kit = new LabKit(Path.of("k"), Path.of("i"));
        final List<String> first = new QemuCommand(config, kit, Path.of("/d"), 1, 4711).words();
        final List<String> second = new QemuCommand(config, kit, Path.of("/d"), 2, 4712).words();
        for (int link = 0; link < 2; link++) {
            assertThat(first)
                    .contains("dgram,id=n" + link + ",local.type=unix,local.path=/d/d" + link
                            + ".1,remote.type=unix,remote.path=/d/d" + link + ".2");
            assertThat(second)
                    .contains("dgram,id=n" + link + ",local.type=unix,local.path=/d/d" + link
                            + ".2,remote.type=unix,remote.path=/d/d" + link + ".1");
        }
        assertThat(first).anyMatch(word -> word.contains("restrict=on") && word.contains("127.0.0.1:4711-"));
        assertThat(String.join(" ", first)).contains("readonly=on");
        final List<String> cards = List.of(first, second).stream()
                .flatMap(List::stream)
                .filter(word -> word.contains("mac="))
                .map(word -> word.replaceFirst(".*mac=", ""))
                .toList();
        assertThat(cards).hasSize(6).doesNotHaveDuplicates();
    }

    @Test
    void scriptsComeAlong() throws IOException {
        for (final String name : List.of("init.sh", "guest.sh", "agent.sh", "job.sh")) {
            assertThat(LabKit.resource(name)).isNotEmpty();
        }
    }

    @Test
    void aDoctorThatOverlooksSomethingIsWrong() {
        final LabDoctor.Case one = new LabDoctor.Case("here", "", 1, List.of("problem +rxe0 .*", "1 problem, .*"));
        assertThat(one.wrong(1, "problem  rxe0  DOWN\n1 problem, 0 warnings")).isEmpty();
        assertThat(one.wrong(0, "ok  rxe0  ACTIVE\n1 problem, 0 warnings"))
                .isEqualTo("  exit code 0, not 1\n  not said: problem +rxe0 .*\n");
        LabDoctor.CASES.values().forEach(each -> assertThat(each.wrong(each.code(), "")).isNotEmpty());
    }

    @Test
    void aStarvedLabStopsItsEmulators() throws IOException {
        final Path machines = Files.createDirectory(directory.resolve("machines"));
        final Properties note = new Properties();
        note.setProperty("directory", machines.toString());
        final List<Process> emulators = new ArrayList<>();
        try {
            for (int id = 1; id <= Lab.MACHINES; id++) {
                emulators.add(new ProcessBuilder("/bin/sh", "-c", "read -r line", machines.toString()).start());
                note.setProperty("pid" + id, String.valueOf(emulators.getLast().pid()));
                note.setProperty("port" + id, "1");
            }
            try (Writer writer = Files.newBufferedWriter(directory.resolve("up.properties"))) {
                note.store(writer, "");
            }
            try (Lab lab = Objects.requireNonNull(Lab.find(LabConfig.in(directory)))) {
                final LabFabric fabric = new LabFabric(lab, LabFault.CARRIER, MemberKinds.RXE, List.of(), 0, false);
                assertThat(fabric.starved(List.of()))
                        .containsExactlyElementsOf(emulators.stream().map(Process::toHandle).toList());
            }
        } finally {
            emulators.forEach(Process::destroyForcibly);
        }
    }

    @Test
    void aLabIsStarvedByAShareThatThereIs() {
        for (final String share : List.of("0", "51", "-1")) {
            assertThat(tool.run("lab", "drill", "--starve", share, "--dir", directory.toString())).isEqualTo(2);
            assertThat(tool.err()).contains("--starve is 1 to 50");
        }
        assertThat(tool.run("lab", "drill", "--starve", "much", "--dir", directory.toString())).isEqualTo(2);
    }

    @Test
    void aCalmSoakCutsNothing() {
        assertThat(LabFault.CALM.cuts(3)).isZero();
        assertThat(LabFault.CALM.leastCuts()).isZero();
        assertThat(LabFault.FLAP.cuts(3)).isEqualTo(3);
        assertThat(Arrays.stream(LabFault.values()).filter(fault -> !fault.isOneOfAll()))
                .containsExactly(LabFault.SERIES, LabFault.CALM);
        for (final String kinds : List.of("egress", "flap,calm")) {
            assertThat(tool.run("lab", "drill", "--for", "9", "--kind", kinds, "--dir", directory.toString()))
                    .isEqualTo(2);
            assertThat(tool.err()).contains("--for goes with --kind flap or calm");
        }
    }

    @Test
    void aSeriesIsAnotherKindWithEachCut() {
        assertThat(IntStream.range(0, 6).mapToObj(LabFault.SERIES::ofCut))
                .containsExactly(
                        LabFault.EGRESS, LabFault.CARRIER, LabFault.DOWN, LabFault.DEVICE, LabFault.DRAIN,
                        LabFault.EGRESS);
        assertThat(IntStream.range(0, 2).mapToObj(LabFault.CARRIER::ofCut)).containsOnly(LabFault.CARRIER);
        assertThat(LabFault.SERIES.leastCuts()).isEqualTo(5);
        for (final String kind : List.of("device", "series")) {
            assertThat(tool.run("lab", "drill", "--device", "soft", "--kind", kind, "--dir", directory.toString()))
                    .isEqualTo(2);
            assertThat(tool.err()).contains("the soft RNIC is no device that 'rdma link del' removes");
        }
    }

    @Test
    void withoutMachinesShellSaysHowToGetThem() {
        assertThat(tool.run("lab", "shell", "--dir", directory.toString())).isEqualTo(3);
        assertThat(tool.err()).contains("vhca lab up");
        assertThat(tool.run("lab", "down", "--dir", directory.toString())).isZero();
        assertThat(tool.run("lab", "shell", "3", "--dir", directory.toString())).isEqualTo(2);
        assertThat(tool.run("lab", "run", "--dir", directory.toString())).isEqualTo(2);
        assertThat(tool.run("lab", "run", "/no/such/script", "--dir", directory.toString())).isEqualTo(2);
        assertThat(tool.err()).contains("/no/such/script cannot be read");
    }

    @Test
    void whyAMachineHasEndedIsReadFromItsConsole() {
        assertThat(Machine.cause("[    1.2] vhca-lab: ready")).isEmpty();
        assertThat(Machine.cause("[ 2948.678907] RIP: 0010:rxe_skb_tx_dtor+0x16/0x50 [rdma_rxe]\n"
                        + "[ 2948.682086] RIP: 0010:native_safe_halt+0xb/0x10\n"
                        + "[ 2948.685123] Kernel panic - not syncing: Fatal exception in interrupt\n"))
                .startsWith(": its kernel crashed in rxe_skb_tx_dtor [rdma_rxe]\n")
                .contains("Fatal exception in interrupt");
        assertThat(Machine.cause("Kernel panic - not syncing: Out of memory"))
                .startsWith(": its kernel crashed\n");
    }
}
