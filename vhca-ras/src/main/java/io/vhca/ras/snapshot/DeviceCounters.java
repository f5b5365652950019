package io.vhca.ras.snapshot;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The counters that the kernel shows of a device's ports; none of a device that it does not know. May block. */
final class DeviceCounters {
    static final Path DEVICES = Path.of("/sys/class/infiniband");
    private static final List<String> GROUPS = List.of("counters", "hw_counters");
    private static final int MOST = 256;

    private DeviceCounters() {}

    static void tell(final String device, final Report.Builder to) {
        tell(DEVICES, device, to);
    }

    /** @param devices the directory that has one of each device */
    static void tell(final Path devices, final String device, final Report.Builder to) {
        if (device.indexOf('/') >= 0 || !Files.isDirectory(devices.resolve(device).resolve("ports"))) {
            return;
        }
        to.section("counters of " + device);
        for (final String group : GROUPS) {
            final Path directory = devices.resolve(device).resolve("ports/1").resolve(group);
            try (Stream<Path> files = Files.list(directory)) {
                files.sorted().limit(MOST).forEach(file -> to.value(String.valueOf(file.getFileName()), value(file)));
            } catch (final IOException | UncheckedIOException e) {
                // The latter while it is listed, as of a device that goes.
                to.value(group, "cannot be read: " + e);
            }
        }
    }

    private static String value(final Path file) {
        try {
            return Files.readString(file).strip();
        } catch (final IOException e) {
            return "cannot be read: " + e;
        }
    }
}
