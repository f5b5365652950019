package io.vhca.ras.trace;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/** Which boot of the host this is: times of {@code System.nanoTime} compare only within one. Any thread. */
final class Boot {
    /** Not known. */
    static final long NONE = 0;

    private static final Path FILE = Path.of("/proc/sys/kernel/random/boot_id");
    private static final long ID = read();

    private Boot() {}

    /** @return half of the kernel's random number of this boot, {@link #NONE} where it does not say */
    static long id() {
        return ID;
    }

    private static long read() {
        try {
            final String random = Files.readString(FILE, StandardCharsets.ISO_8859_1).strip();
            return UUID.fromString(random).getMostSignificantBits();
        } catch (final IOException | IllegalArgumentException e) {
            return NONE;
        }
    }
}
