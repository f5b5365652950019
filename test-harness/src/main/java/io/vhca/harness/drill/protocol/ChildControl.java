package io.vhca.harness.drill.protocol;

import io.vhca.api.AsyncEvent;
import io.vhca.api.Context;
import io.vhca.api.Devices;
import io.vhca.bond.BondAdmin;
import io.vhca.bond.BondContext;
import io.vhca.bond.core.FailoverReport;
import io.vhca.physical.soft.SoftDevice;
import io.vhca.recovery.wire.FailureReason;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * A child's line to its controller. Cuts are done by the reading thread at once, whatever the data thread is doing;
 * when the input ends, the controller is dead and this process halts.
 */
public final class ChildControl {
    private static final int HALTED = 128 + 9;
    /** Indexes in the GID table that are none at the start. */
    private static final int MOVED_GID = 2;

    private static final int HEALED_GID = 3;

    private final ConcurrentLinkedQueue<DrillLine> commands = new ConcurrentLinkedQueue<>();
    private final Context context;
    private long failoversSeen;

    public ChildControl(final Context context) {
        this.context = context;
    }

    public void start() {
        ChildFailure.obey(this::on);
    }

    private void on(final DrillLine line) {
        if (line.kind().equals("clock")) {
            say(DrillLine.of("clock", "now", System.nanoTime()));
            return;
        }
        if (line.kind().equals("halt")) {
            Runtime.getRuntime().halt(HALTED);
        }
        switch (line.kind()) {
            case "plug", "gid", "drain", "remove" -> {
                final boolean up = line.text("up").equals("true");
                say(DrillLine.of("plugged", "device", line.text("device"), "up", up, "t", System.nanoTime()));
                operate(line.kind(), line.text("device"), up);
            }
            default -> commands.add(line);
        }
    }

    private void operate(final String verb, final String name, final boolean up) {
        if (verb.equals("plug")) {
            soft(name).setPortUp(up);
        } else if (verb.equals("gid")) {
            soft(name).moveGid(up ? HEALED_GID : MOVED_GID);
        } else if (context instanceof BondContext bond) {
            final BondAdmin admin = bond.admin();
            if (!up) {
                if (verb.equals("drain")) {
                    admin.drain(name);
                } else {
                    admin.remove(name);
                }
            } else if (admin.members().stream().anyMatch(member -> member.name().equals(name))) {
                admin.resume(name);
            } else {
                admin.add(name);
            }
        }
    }

    private static SoftDevice soft(final String name) {
        if (Devices.byName(name) instanceof SoftDevice soft) {
            return soft;
        }
        throw new IllegalArgumentException(name + " is no soft device: it has no cable that could be pulled");
    }

    /** The next command, or null. */
    public @Nullable DrillLine command() {
        return commands.poll();
    }

    /** Tells the controller. Any thread. */
    public void say(final DrillLine line) {
        line.say();
    }

    /** Tells the controller of recoveries that ended since the last call. */
    public void sayFailovers(final int qpNum) {
        if (!(context instanceof BondContext bond)) {
            return;
        }
        for (final FailoverReport report : bond.admin().failoversAfter(failoversSeen)) {
            failoversSeen++;
            if (report.qpNum() == qpNum && report.reason() != FailureReason.FIRST_CONNECT) {
                say(line(report));
            }
        }
    }

    /** What there is to know of a lost connection: how its recoveries ended in error, and the device's events. */
    public String why(final int qpNum) {
        final List<String> all = new ArrayList<>();
        if (context instanceof BondContext bond) {
            for (final FailoverReport report : bond.failovers()) {
                if (report.qpNum() == qpNum && report.error() != null) {
                    all.add(report.reason() + " " + report.error());
                }
            }
        }
        for (AsyncEvent event = context.getAsyncEvent(0); event != null; event = context.getAsyncEvent(0)) {
            all.add(String.valueOf(event.type()));
            context.ackAsyncEvent(event);
        }
        return String.join(", ", all);
    }

    private static DrillLine line(final FailoverReport report) {
        return DrillLine.of(
                "failover",
                "epoch", report.epoch(),
                "reason", report.reason(),
                "from", report.fromPath(),
                "to", report.toPath(),
                "startedNs", report.startedNs(),
                "fenceNs", report.fenceNs(),
                "connectNs", report.connectNs(),
                "replayNs", report.replayNs(),
                "negotiated", report.negotiated(),
                "replayed", report.replayed(),
                "initiator", report.initiator(),
                "error", report.error() == null ? "" : report.error());
    }
}
