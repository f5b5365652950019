package io.vhca.bond;

import io.vhca.api.Context;
import io.vhca.api.Device;
import io.vhca.api.DeviceProvider;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A configured bond, closed or open. Any thread. */
public final class BondDevice implements Device {
    private static final long FNV_OFFSET = 0xcbf2_9ce4_8422_2325L;
    private static final long FNV_PRIME = 0x0000_0100_0000_01b3L;

    /**
     * Which bond of this process holds a device, by the {@linkplain MemberSource#adapter adapter}: the device may come
     * back under another name. A bond that is not open holds none.
     */
    private static final Map<Object, BondDevice> HOLDERS = new HashMap<>();

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
            forgetMembers();
            return openMembers();
        } finally {
            opening = false;
        }
    }

    private boolean isOpen() {
        final BondContext context = open;
        return opening || context != null && !context.isOver();
    }

    /** What was added to it when it was open before is no member now. */
    private void forgetMembers() {
        synchronized (HOLDERS) {
            HOLDERS.values().removeIf(holder -> holder == this);
        }
    }

    private void claim(final Device member) {
        synchronized (HOLDERS) {
            final BondDevice holder = HOLDERS.get(MemberSource.adapter(member));
            if (holder != null && holder != this && holder.isOpen()) {
                throw new VerbsException(
                        "openDevice",
                        Errno.EBUSY,
                        name(),
                        "member " + member.name() + " belongs to " + holder.name()
                                + ", which is open in this process; a device can be a member of one bond only");
            }
            HOLDERS.put(MemberSource.adapter(member), this);
        }
    }

    private Context openMembers() {
        final List<Context> members = new ArrayList<>();
        final JournalProvider journals = journalProvider();
        BondContext context = null;
        try {
            for (final String member : config.members()) {
                final Device device = about(member, () -> Devices.byName(member));
                claim(device);
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
            for (final BondObserverProvider observers : Services.of(BondObserverProvider.class)) {
                attach(observers, context);
            }
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

    private static void attach(final BondObserverProvider observers, final BondContext to) {
        try {
            observers.attach(to);
        } catch (final Throwable e) {
            to.unobserved(observers, e);
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
            return again(lost, siblings).open();
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
                claim(opened.device());
                return opened;
            } catch (final VerbsException e) {
                closeAfter(e, opened);
                throw e;
            }
        }

        @Override
        public void released(final Device device) {
            synchronized (HOLDERS) {
                HOLDERS.remove(MemberSource.adapter(device), BondDevice.this);
            }
        }
    }

    /**
     * The device that was lost. Bonds are not looked at, for they are no members: what is configured may be wrong by
     * now, which is no matter to a bond that is open.
     *
     * <p>With another name than it had it is known by its node GUID, where no other device has that.
     */
    static Device again(final Device lost, final Set<String> siblings) {
        Device found = null;
        int others = siblings.size();
        for (final DeviceProvider provider : Devices.providers()) {
            if (provider instanceof BondProvider) {
                continue;
            }
            for (final Device device : provider.devices()) {
                final boolean isIt = MemberSource.isSame(device, lost) && !siblings.contains(device.name());
                if (isIt && device.name().equals(lost.name())) {
                    return device;
                }
                if (isIt) {
                    others++;
                    found = device;
                }
            }
        }
        if (found == null || others > 1) {
            throw new VerbsException("openDevice", Errno.ENODEV, lost.name(), "the device is not back yet");
        }
        return found;
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
