package io.vhca.ras;

import io.vhca.bond.BondContext;
import io.vhca.bond.BondObserverProvider;
import io.vhca.ras.dump.AutoDump;
import io.vhca.ras.dump.BondDump;
import io.vhca.ras.health.HealthReporters;
import io.vhca.ras.jfr.FlightRecorder;
import io.vhca.ras.snapshot.MemoryReport;
import io.vhca.ras.snapshot.SnapshotRecorder;
import io.vhca.ras.snapshot.StateHistory;
import io.vhca.ras.status.StatusPublisher;
import io.vhca.ras.thread.ThreadReport;
import io.vhca.ras.thread.ThreadWatch;
import io.vhca.ras.trace.TracePublisher;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Gives every bond its events in the JVM's flight recorder, its trace file, its snapshots, its reporters of health, its
 * status file and its control socket.
 */
public final class RasProvider implements BondObserverProvider {
    @Override
    public void attach(final BondContext bond) {
        bond.admin().observe(new FlightRecorder(bond.device().name()));
        TracePublisher.attach(bond);
        SnapshotRecorder.attach(bond, StateHistory.attach(bond));
        ThreadWatch.attach(bond);
        AutoDump.attach(bond);
        final HealthReporters health = HealthReporters.attach(bond);
        final Map<String, Supplier<String>> reports = new HashMap<>(health.commands());
        reports.put("check", () -> String.join("; ", bond.admin().check()));
        reports.put("dump", () -> BondDump.write(bond, false));
        reports.put("dump payload", () -> BondDump.write(bond, true));
        reports.put("threads", () -> ThreadReport.write(bond));
        reports.put("memory", () -> MemoryReport.write(bond, false));
        reports.put("memory mark", () -> MemoryReport.write(bond, true));
        StatusPublisher.attach(bond, reports, health.counters());
    }
}
