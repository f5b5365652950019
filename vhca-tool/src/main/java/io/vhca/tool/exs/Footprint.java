package io.vhca.tool.exs;

import io.vhca.api.ProcStatus;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What this process takes of memory.
 *
 * @param heapBytes     of objects that are in use
 * @param residentBytes of the process, heap included, 0 where the kernel does not tell
 */
record Footprint(long heapBytes, long residentBytes) {
    private static final Pattern RESIDENT = Pattern.compile("VmRSS:\\s*([0-9]+) kB");

    /** As it is after a collection of garbage. */
    static Footprint now() {
        System.gc();
        return new Footprint(
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(), readResident());
    }

    private static long readResident() {
        try {
            final Matcher matcher = RESIDENT.matcher(String.join("\n", ProcStatus.ofThisProcess()));
            return matcher.find() ? Long.parseLong(matcher.group(1)) * 1024 : 0;
        } catch (final IOException e) {
            return 0;
        }
    }
}
