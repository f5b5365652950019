package io.vhca.ras.dump;

import io.vhca.bond.BondContext;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.config.ServiceMode.DumpOn;
import io.vhca.bond.core.BondObserver;
import io.vhca.bond.core.FailoverReport;
import io.vhca.bond.core.MemberChange;
import io.vhca.recovery.BondError;
import io.vhca.recovery.wire.FailureReason;
import java.lang.System.Logger;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Writes a dump of a bond when a device dies or a queue pair fails for good, where the option {@code dump_on} says so;
 * once in {@link #GRACE_NS} at most. Told under the control lock; a virtual thread writes.
 */
public final class AutoDump implements BondObserver {
    static final long GRACE_NS = TimeUnit.MINUTES.toNanos(1);

    private static final Logger LOGGER = System.getLogger(AutoDump.class.getName());

    private final BondContext bond;
    private final Supplier<String> dump;
    private long nowNs;
    private long lastNs;
    private boolean isFirst = true;
    private volatile boolean closed;

    /** @param dump writes one; why it could not, or an empty text */
    AutoDump(final BondContext bond, final Supplier<String> dump) {
        this.bond = bond;
        this.dump = dump;
    }

    /** Lets a bond dump itself. */
    public static void attach(final BondContext bond) {
        bond.admin().observe(new AutoDump(bond, () -> BondDump.writeByItself(bond)));
    }

    @Override
    public void onTurn(final long now) {
        nowNs = now;
    }

    @Override
    public void onFailover(final FailoverReport report) {
        if (report.error() != null) {
            dump(DumpOn.FAILED);
        }
    }

    /** An error of the application's own is no failure of the bond. */
    @Override
    public void onApplicationError(final int qpNum, final int status, final int vendorErr) {
        if (BondError.fromVendorErr(vendorErr) != null) {
            dump(DumpOn.FAILED);
        }
    }

    @Override
    public void onMember(
            final String member, final MemberChange change, final FailureReason reason, final long failures) {
        if (change == MemberChange.DIED) {
            dump(DumpOn.FATAL);
        }
    }

    private void dump(final DumpOn why) {
        if (!bond.admin().config().get(BondOption.DUMP_ON).has(why) || !isFirst && nowNs - lastNs < GRACE_NS) {
            return;
        }
        isFirst = false;
        lastNs = nowNs;
        Thread.ofVirtual().name("vhca-dump").start(this::write);
    }

    private void write() {
        final String failure = closed ? "" : dump.get();
        if (!failure.isEmpty()) {
            LOGGER.log(Logger.Level.WARNING, bond.device().name() + ": " + failure);
        }
    }

    /** None begins from now on; one that is being written is. */
    @Override
    public void close() {
        closed = true;
    }
}
