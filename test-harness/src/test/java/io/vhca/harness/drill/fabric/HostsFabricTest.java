package io.vhca.harness.drill.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The commands that cut and heal links of other hosts; the remote shell stays here and writes down what is asked. */
@Timeout(120)
class HostsFabricTest {
    @TempDir
    private Path directory = Path.of("unset");

    private Path told() {
        return directory.resolve("told");
    }

    /** @param cut is run here, after it was written down */
    private HostsFabric fabric(final String cut, final long commandSeconds) {
        final List<String> shell =
                List.of("sh", "-c", "echo \"$1: $2\" >> '" + told() + "'; exec sh -c \"$2\"", "shell");
        return new HostsFabric(
                new HostsFabric.Hosts("a", "b", List.of("m0", "m1"), List.of(), shell, cut, "true heal {device}"),
                commandSeconds);
    }

    @Test
    void whatIsCutWhenTheDrillEndsIsHealed() throws Exception {
        try (HostsFabric fabric = fabric("true cut {device}", 60)) {
            fabric.plug(true, "m1", false);
        }
        assertThat(Files.readAllLines(told())).containsExactly("b: true cut m1", "b: true heal m1");
    }

    @Test
    void whatWasHealedIsLeftAlone() throws Exception {
        try (HostsFabric fabric = fabric("true cut {device}", 60)) {
            fabric.plug(false, "m0", false);
            fabric.plug(false, "m0", true);
        }
        assertThat(Files.readAllLines(told())).containsExactly("a: true cut m0", "a: true heal m0");
    }

    @Test
    void aCommandThatFailsSaysWhy() throws Exception {
        try (HostsFabric fabric = fabric("echo no such link; false", 60)) {
            assertThatThrownBy(() -> fabric.plug(false, "m0", false))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("failed on the sender: no such link");
        }
    }

    /** What it started holds its output open, and does not end with it. */
    @Test
    void aCommandThatHangsIsGivenUp() throws Exception {
        try (HostsFabric fabric = fabric("echo here; sleep 300", 1)) {
            assertThatThrownBy(() -> fabric.plug(false, "m0", false))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("hangs on the sender: here");
        }
    }
}
