package io.vhca.api;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What the kernel says of a process in its status file (proc(5)). For providers. Any thread. */
public final class ProcStatus {
    private static final Path OWN = Path.of("/proc/self/status");

    private ProcStatus() {}

    /** The lines about this process. */
    public static List<String> ofThisProcess() throws IOException {
        return lines(OWN);
    }

    /**
     * The lines about that process.
     *
     * @throws IOException where there is none, too
     */
    public static List<String> of(final long pid) throws IOException {
        return lines(Path.of("/proc", Long.toString(pid), "status"));
    }

    /** By bytes: the name of a process, which stands there too, need not be text. */
    private static List<String> lines(final Path status) throws IOException {
        return Files.readAllLines(status, StandardCharsets.ISO_8859_1);
    }
}
