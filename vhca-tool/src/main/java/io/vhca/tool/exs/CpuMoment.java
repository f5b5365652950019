package io.vhca.tool.exs;

import java.lang.management.ManagementFactory;

/**
 * What this process had spent of processors at a moment.
 *
 * @param ns    on the clock of {@link System#nanoTime}
 * @param cpuNs of all its threads, since it began
 */
record CpuMoment(long ns, long cpuNs) {
    static CpuMoment now() {
        return new CpuMoment(System.nanoTime(), readCpuNs());
    }

    static long readCpuNs() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof final com.sun.management.OperatingSystemMXBean os
                ? os.getProcessCpuTime()
                : 0;
    }

    /** What was spent from here to a later one, in percent of one processor. */
    double percentUntil(final CpuMoment later) {
        return 100.0 * (later.cpuNs - cpuNs) / Math.max(1, later.ns - ns);
    }
}
