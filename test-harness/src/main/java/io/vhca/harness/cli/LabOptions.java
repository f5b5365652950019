package io.vhca.harness.cli;

import io.vhca.harness.lab.LabConfig;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of every subcommand of {@code vhca lab}. */
final class LabOptions {
    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "where kernel and initramfs are kept (default: $VHCA_LAB_DIR, else ~/.cache/vhca/lab)")
    private @Nullable Path directory;

    @Option(names = "--memory", paramLabel = "MB", description = "of each machine (default: 1536)")
    private @Nullable Integer memory;

    @Option(
            names = "--accel",
            paramLabel = "tcg|kvm",
            description = "QEMU's accelerator; kvm is much faster where the processor offers it (default: tcg)")
    private @Nullable String accelerator;

    @Option(names = "--no-rxe", description = "boot without rdma_rxe: the soft RNIC can have its UDP port then")
    private boolean isWithoutRxe;

    LabConfig config() {
        final LabConfig base = LabConfig.in(directory);
        return new LabConfig(
                base.directory(),
                memory != null ? memory : base.memoryMb(),
                accelerator != null ? accelerator : base.accelerator(),
                !isWithoutRxe,
                base.lifeSeconds());
    }
}
