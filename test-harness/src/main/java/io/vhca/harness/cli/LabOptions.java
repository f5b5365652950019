package io.vhca.harness.cli;

import io.vhca.harness.lab.LabConfig;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options of every subcommand of {@code vhca lab}. */
final class LabOptions {
    private static final int LEAST_MEMORY_MB = 256;

    /** Of the subcommand. */
    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

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
    private @Nullable Accelerator accelerator;

    @Option(names = "--no-rxe", description = "boot without rdma_rxe: the soft RNIC can have its UDP port then")
    private boolean isWithoutRxe;

    /** As QEMU names them, in capitals. */
    private enum Accelerator { TCG, KVM }

    /** @throws ParameterException for machines that are too small to boot */
    LabConfig config() {
        if (memory != null && memory < LEAST_MEMORY_MB) {
            throw new ParameterException(spec.commandLine(), "--memory must be " + LEAST_MEMORY_MB + " or more");
        }
        final LabConfig base = LabConfig.in(directory);
        return new LabConfig(
                base.directory(),
                memory != null ? memory : base.memoryMb(),
                accelerator != null ? accelerator.name().toLowerCase(Locale.ROOT) : base.accelerator(),
                !isWithoutRxe,
                base.lifeSeconds());
    }
}
