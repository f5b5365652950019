package io.vhca.harness.lab;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where the lab keeps things and what its machines are like. Immutable.
 *
 * @param directory   the kernel, the initramfs and the note of machines that were left running
 * @param memoryMb    of each machine
 * @param accelerator QEMU's: tcg emulates everything, kvm needs a processor that offers it
 * @param withRxe     make rxe0 and rxe1 at boot
 * @param lifeSeconds after which a machine switches itself off, whoever forgot it
 */
public record LabConfig(
        Path directory, int memoryMb, String accelerator, boolean withRxe, long lifeSeconds) {
    /** Environment variable that names the directory. */
    public static final String VARIABLE = "VHCA_LAB_DIR";

    private static final int MEMORY_MB = 1536;
    private static final long LIFE_SECONDS = 7_200;

    /** The lab in that directory, else in {@code $VHCA_LAB_DIR}, else in the user's cache. */
    public static LabConfig in(final @Nullable Path directory) {
        return new LabConfig(
                directory != null ? directory.toAbsolutePath() : defaultDirectory(System.getenv(VARIABLE)),
                MEMORY_MB,
                "tcg",
                true,
                LIFE_SECONDS);
    }

    private static Path defaultDirectory(final @Nullable String variable) {
        if (variable != null && !variable.isBlank()) {
            return Path.of(variable).toAbsolutePath();
        }
        final String cache = System.getenv("XDG_CACHE_HOME");
        return (cache != null && !cache.isBlank()
                        ? Path.of(cache)
                        : Path.of(System.getProperty("user.home"), ".cache"))
                .resolve("vhca")
                .resolve("lab")
                .toAbsolutePath();
    }
}
