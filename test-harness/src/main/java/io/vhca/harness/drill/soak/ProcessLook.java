package io.vhca.harness.drill.soak;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Looks at processes of this machine, by what Linux shows of them in {@code /proc} (proc(5)). */
public final class ProcessLook implements Soak.Look {
    public static final List<Measure> MEASURES = List.of(Measure.RESIDENT, Measure.DESCRIPTORS, Measure.THREADS);

    private final IntFunction<@Nullable ProcessHandle> processes;

    /** @param processes by number; null where there is none just now */
    public ProcessLook(final IntFunction<@Nullable ProcessHandle> processes) {
        this.processes = processes;
    }

    @Override
    public long @Nullable [] at(final int process) {
        final ProcessHandle handle = processes.apply(process);
        return handle == null ? null : at(Path.of("/proc", String.valueOf(handle.pid())));
    }

    static long @Nullable [] at(final Path process) {
        try (Stream<Path> descriptors = Files.list(process.resolve("fd"))) {
            final List<String> status = Files.readAllLines(process.resolve("status"));
            return new long[] {number(status, "VmRSS:"), descriptors.count(), number(status, "Threads:")};
        } catch (final IOException e) {
            return null; // it has ended
        }
    }

    private static long number(final List<String> status, final String name) throws IOException {
        for (final String line : status) {
            if (line.startsWith(name)) {
                return Long.parseLong(line.substring(name.length()).strip().split(" ", 2)[0]);
            }
        }
        throw new IOException("no " + name);
    }
}
