package io.vhca.ras;

import io.vhca.bond.BondContext;
import io.vhca.bond.BondObserverProvider;
import io.vhca.ras.jfr.FlightRecorder;
import io.vhca.ras.snapshot.AutoDump;
import io.vhca.ras.snapshot.BondDump;
import io.vhca.ras.snapshot.MemoryReport;
import io.vhca.ras.snapshot.SnapshotRecorder;
import io.vhca.ras.snapshot.StateHistory;
import io.vhca.ras.status.StatusPublisher;
import io.vhca.ras.thread.ThreadReport;
import io.vhca.ras.thread.ThreadWatch;
import io.vhca.ras.trace.TracePublisher;
import java.util.Map;

/**
 * Gives every bond its events in the JVM's flight recorder, its trace file, its snapshots, its
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
        StatusPublisher.attach(bond, Map.of(
                "check", () -> String.join("; ", bond.admin().check()),
                "dump", () -> BondDump.write(bond),
                "threads", () -> ThreadReport.write(bond),
                "memory", () -> MemoryReport.write(bond, false),
                "memory mark", () -> MemoryReport.write(bond, true)));
    }
}
