package io.vhca.bond;

import io.vhca.api.Context;
import io.vhca.api.Device;
import io.vhca.api.Devices;
import io.vhca.api.Errno;
import io.vhca.api.NodeType;
import io.vhca.api.Services;
import io.vhca.api.VerbsException;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.member.MemberSource;
import io.vhca.recovery.Journal;
import io.vhca.recovery.RewindPlan;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A configured bond, closed or open. Any thread. */
public final class BondDevice implements Device {
    private static final long FNV_OFFSET = 0xcbf2_9ce4_8422_2325L;
    private static final long FNV_PRIME = 0x0000_0100_0000_01b3L;

    private static final DeviceHolders HOLDERS = new DeviceHolders();

    private final BondConfig config;
    private volatile boolean opening;
    private volatile @Nullable BondContext open;

    public BondDevice(final BondConfig config) {
        this.config = config;
    }

    @Override
    public String name() {
        return config.name();
    }

    /** What it is opened with. */
    public BondConfig config() {
        return config;
    }

    /** Stable for a name and its members' names: a locally administered number, FNV-1a of them. */
    @Override
    public long nodeGuid() {
        long hash = FNV_OFFSET;
        for (final char c : (config.name() + config.members()).toCharArray()) {
            hash = (hash ^ c) * FNV_PRIME;
        }
        return hash & ~(3L << 56) | 2L << 56;
    }

    @Override
    public NodeType nodeType() {
        return NodeType.CA;
    }

    /**
     * Opens every member and starts the bond's thread.
     *
     * @throws VerbsException EBUSY when it is open in this process already, or a member belongs to another bond that
     *     is, ENODEV when a member does not exist; members opened so far are closed again
     */
    @Override
    public synchronized Context open() {
        if (isOpen()) {
            throw new VerbsException(
                    "openDevice", Errno.EBUSY, name(), "the bond is open in this process already; share that context");
        }
        opening = true;
        try {
            HOLDERS.forget(this);
            return openMembers();
        } finally {
            opening = false;
        }
    }

    boolean isOpen() {
        final BondContext context = open;
        return opening || context != null && !context.isOver();
    }

    private Context openMembers() {
        final List<Context> members = new ArrayList<>();
        final JournalProvider journals = journalProvider();
        BondContext context = null;
        try {
            for (final String member : config.members()) {
                final Device device = about(member, () -> Devices.byName(member));
                HOLDERS.take(device, this);
                members.add(about(member, device::open));
            }
            context = new BondContext(
                    this,
                    config,
                    members,
                    new Members(),
                    Journal.NONE,
                    new SecureRandom(),
                    RewindPlan::of);
            observe(context);
            // After the observers: they show what the journal cannot do.
            if (journals != null && config.journal() != null) {
                context.journal(journals.open(context, Path.of(config.journal())));
            }
            context.startAgent();
            open = context;
            return context;
        } catch (final Throwable e) {
            // Also an Error, as of a process that may have no more threads: a bond that nobody has goes on otherwise.
            if (context != null) {
                closeAfter(e, context);
            } else {
                members.forEach(member -> closeAfter(e, member));
            }
            throw e;
        }
    }

    private static void observe(final BondContext bond) {
        Services.of(BondObserverProvider.class, error -> bond.unobserved(BondObserverProvider.class, error))
                .forEach(observers -> attach(observers, bond));
    }

    private static void attach(final BondObserverProvider observers, final BondContext to) {
        try {
            observers.attach(to);
        } catch (final Throwable e) {
            to.unobserved(observers.getClass(), e);
        }
    }

    /**
     * Who opens the configured journal, null where none is configured.
     *
     * @throws VerbsException EOPNOTSUPP when nobody can
     */
    private @Nullable JournalProvider journalProvider() {
        return config.journal() == null
                ? null
                : Services.of(JournalProvider.class).stream()
                        .findFirst()
                        .orElseThrow(() -> new VerbsException(
                                "openDevice",
                                Errno.EOPNOTSUPP,
                                name(),
                                "journal=" + config.journal() + " needs the jar vhca-ras (io.vhca:vhca-ras) on the"
                                        + " class path; add it, or take journal out of the configuration"));
    }

    /** Closes, so that what cannot be closed hides neither the first error nor the rest that is to be closed. */
    private static void closeAfter(final Throwable first, final AutoCloseable resource) {
        try {
            resource.close();
        } catch (final Throwable e) {
            first.addSuppressed(e);
        }
    }

    /** Devices of this process, and the book of who holds them. */
    private final class Members implements MemberSource {
        @Override
        public Context open(final Device lost, final Set<String> siblings) {
            return HOLDERS.again(lost, siblings, BondDevice.this).open();
        }

        @Override
        public Context open(final String name) {
            final Context opened = about(name, () -> Devices.open(name));
            try {
                if (opened.device() instanceof BondDevice) {
                    throw new VerbsException(
                            "openDevice",
                            Errno.EINVAL,
                            BondDevice.this.name(),
                            "member " + name + " is itself a bond; members are devices below bonds");
                }
                HOLDERS.take(opened.device(), BondDevice.this);
                return opened;
            } catch (final VerbsException e) {
                closeAfter(e, opened);
                throw e;
            }
        }

        @Override
        public void cameBack(final Device lost, final Device now) {
            HOLDERS.renamed(lost, now, BondDevice.this);
        }

        @Override
        public void released(final Device device) {
            HOLDERS.release(device, BondDevice.this);
        }
    }

    /** A step of opening a member; where it fails the error names the member and the bond. */
    private <T> T about(final String member, final Supplier<T> step) {
        try {
            return step.get();
        } catch (final VerbsException e) {
            throw new VerbsException(
                    "openDevice", e.errno(), name(), "member " + member + " cannot be opened: " + e.getMessage(), e);
        }
    }

    @Override
    public String toString() {
        return name();
    }
}
