package io.vhca.harness.drill.attack.child;

import io.vhca.bond.BondContext;
import io.vhca.bond.core.BondCounters;
import io.vhca.harness.drill.protocol.DrillLine;
import io.vhca.physical.soft.SoftContext;
import io.vhca.physical.soft.cm.CmCounter;
import io.vhca.physical.soft.engine.core.NicCounter;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/** What an attacked process counts, and what memory it holds. The thread that opened it. */
final class Measures implements AutoCloseable {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String RESIDENT = "VmRSS:";

    private final BondContext bond;
    private final List<SoftContext> devices;

    Measures(final BondContext bond) {
        this.bond = bond;
        devices = TappedProvider.open();
    }

    /**
     * All counters, and the memory.
     *
     * @param refused connections that the application has refused
     */
    DrillLine line(final long refused) throws IOException {
        final Map<String, String> values = new LinkedHashMap<>();
        for (final NicCounter counter : NicCounter.values()) {
            values.put("nic." + counter, sum(device -> device.counters().get(counter)));
        }
        for (final CmCounter counter : CmCounter.values()) {
            values.put("cm." + counter, sum(device -> device.cmCounters().get(counter)));
        }
        for (final BondCounters.Counter counter : BondCounters.Counter.values()) {
            values.put("bond." + counter, String.valueOf(bond.counters().get(counter)));
        }
        values.put("app.REFUSED", String.valueOf(refused));
        values.put("memory", String.valueOf(memoryBytes()));
        return new DrillLine("measured", values);
    }

    private String sum(final ToLongFunction<SoftContext> counter) {
        return String.valueOf(devices.stream().mapToLong(counter).sum());
    }

    /**
     * Resident memory, with the heap taken as what lives on it: the heap is of one size, and touched at the start.
     */
    private static long memoryBytes() throws IOException {
        System.gc();
        final MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
        return residentBytes() - heap.getCommitted() + heap.getUsed();
    }

    private static long residentBytes() throws IOException {
        for (final String line : Files.readAllLines(STATUS)) {
            if (line.startsWith(RESIDENT)) {
                return Long.parseLong(line.substring(RESIDENT.length()).replaceAll("[^0-9]", "")) << 10;
            }
        }
        throw new IOException(STATUS + " has no " + RESIDENT);
    }

    @Override
    public void close() {
        devices.forEach(SoftContext::close);
    }
}
