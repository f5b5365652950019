package io.vhca.ras.snapshot;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Reads what the kernel counts of devices, on a virtual thread that is there while there is something to read: a file
 * of it may ask the card's firmware. The bond's thread asks and takes; it waits for nothing. One question at a time.
 */
final class KernelCounters implements AutoCloseable {
    private final Path devices;
    private final ExecutorService reader = Executors.newSingleThreadExecutor(
            Thread.ofVirtual().name("vhca-counters").factory());
    private final AtomicReference<@Nullable Report> found = new AtomicReference<>();
    private boolean isAsked;

    /** @param devices the directory that has one of each device */
    KernelCounters(final Path devices) {
        this.devices = devices;
    }

    /** Begins to read those of some devices, where the question before is answered. */
    void ask(final List<String> names) {
        if (!isAsked) {
            isAsked = true;
            reader.execute(() -> {
                final Report.Builder to = new Report.Builder();
                try {
                    names.forEach(name -> DeviceCounters.tell(devices, name, to));
                } finally {
                    // What fails is no reason never to ask again.
                    found.set(to.build());
                }
            });
        }
    }

    /** A section a device that the kernel knows, once each; none while they are read. */
    List<Report.Section> read() {
        final Report report = isAsked ? found.getAndSet(null) : null;
        if (report == null) {
            return List.of();
        }
        isAsked = false;
        return report.sections();
    }

    @Override
    public void close() {
        reader.shutdownNow();
    }
}
