package io.vhca.harness.drill;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.harness.cli.Tool;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The drill on two hosts, with a remote shell that stays here: each "host" has soft devices of its own. */
@Timeout(600)
class HostsFabricIT {
    private static final int NET = (int) (ProcessHandle.current().pid() % 120);

    private final Tool tool = new Tool();

    @TempDir
    private Path directory = Path.of("unset");

    @BeforeEach
    void writeShell() throws Exception {
        final Path shell = directory.resolve("shell");
        Files.writeString(
                shell,
                String.format(Locale.ROOT, """
                #!/bin/sh
                case $1 in a) net=%d ;; b) net=%d ;; esac
                shift
                export VHCA_SOFT="soft0=127.83.$net.1,soft1=127.83.$net.2"
                exec sh -c "$*"
                """, 2 * NET, 2 * NET + 1));
        Files.setPosixFilePermissions(shell, PosixFilePermissions.fromString("rwx------"));
    }

    private int run(final String... args) {
        final List<String> words = new ArrayList<>(List.of(
                "drill",
                "--hosts", "a,b",
                "--members", "soft0,soft1",
                "--receiver-addresses", "127.83." + (2 * NET + 1) + ".1,127.83." + (2 * NET + 1) + ".2",
                "--shell", directory.resolve("shell").toString(),
                "--input", directory.resolve("input").toString()));
        words.addAll(List.of(args));
        return tool.run(words.toArray(String[]::new));
    }

    @Test
    void theFileCrossesAndADeadReceiverIsNoticed() throws Exception {
        Files.write(directory.resolve("input"), new byte[3_000_000]);
        assertThat(run("--cuts", "0")).as(tool.all()).isZero();
        assertThat(tool.out()).contains("all 3,000,000 bytes", "SHA-256 equal");
        assertThat(run("--kill", "--recovery-timeout", "2000", "--rate", "1")).as(tool.all()).isZero();
        assertThat(tool.out()).contains("NO_PATH", "nothing hangs");
    }

    @Test
    void whatIsMissingIsNamed() throws Exception {
        Files.write(directory.resolve("input"), new byte[1_000]);
        assertThat(run("--short")).isEqualTo(2);
        assertThat(run("--members", "soft0")).isEqualTo(2);
        assertThat(tool.err()).contains("--hosts wants two hosts");
    }
}
