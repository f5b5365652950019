package io.vhca.bond;

import io.vhca.api.Device;
import io.vhca.api.DeviceProvider;
import io.vhca.api.Devices;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.bond.member.MemberSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which bond of this process holds which device; one that is not open holds none. A device may come back under another
 * name, and others may share its node GUID: one of that GUID with another name is taken for it unless its own name is
 * listed too. Any thread.
 */
final class DeviceHolders {
    /** A device by its {@linkplain MemberSource#adapter adapter} and the name under which a bond has it. */
    private record Held(Object adapter, String name) {
        static Held of(final Device device) {
            return new Held(MemberSource.adapter(device), device.name());
        }

        boolean isListed() {
            return listed().stream().anyMatch(device -> of(device).equals(this));
        }

        boolean mayBe(final Held other) {
            return adapter.equals(other.adapter) && (name.equals(other.name) || !isListed());
        }
    }

    private final Map<Held, BondDevice> holders = new HashMap<>();

    /**
     * A device becomes a member of a bond, or is one already.
     *
     * @throws VerbsException EBUSY when it belongs to another bond, which is open
     */
    synchronized void take(final Device member, final BondDevice bond) {
        final Held wanted = Held.of(member);
        holders.forEach((held, holder) -> {
            if (holder != bond && holder.isOpen() && held.mayBe(wanted)) {
                throw new VerbsException(
                        "openDevice",
                        Errno.EBUSY,
                        bond.name(),
                        "member " + member.name() + " belongs to " + holder.name()
                                + ", which is open in this process; a device can be a member of one bond only");
            }
        });
        if (holders.entrySet().stream().noneMatch(one -> one.getValue() == bond && one.getKey().mayBe(wanted))) {
            holders.put(wanted, bond);
        }
    }

    /**
     * The device of a bond that was lost.
     *
     * @param siblings names of the devices with that node GUID that the bond's other members have
     * @throws VerbsException ENODEV while it is not back
     */
    synchronized Device again(final Device lost, final Set<String> siblings, final BondDevice bond) {
        final Set<String> taken = new HashSet<>(siblings);
        holders.forEach((held, holder) -> {
            if (holder != bond && holder.isOpen() && held.adapter().equals(MemberSource.adapter(lost))) {
                taken.add(held.name());
            }
        });
        return find(lost, taken);
    }

    /** A bond's member is the device by that name from now on. */
    synchronized void renamed(final Device before, final Device now, final BondDevice bond) {
        if (holders.remove(Held.of(before), bond)) {
            holders.put(Held.of(now), bond);
        }
    }

    /** With another name than it had it is known by its node GUID, where no other device has that. */
    static Device find(final Device lost, final Set<String> taken) {
        Device found = null;
        int others = taken.size();
        for (final Device device : listed()) {
            final boolean isIt = MemberSource.isSame(device, lost) && !taken.contains(device.name());
            if (isIt && device.name().equals(lost.name())) {
                return device;
            }
            if (isIt) {
                others++;
                found = device;
            }
        }
        if (found == null || others > 1) {
            throw new VerbsException("openDevice", Errno.ENODEV, lost.name(), "the device is not back yet");
        }
        return found;
    }

    /** A device is no member of a bond any more. */
    synchronized void release(final Device member, final BondDevice bond) {
        holders.remove(Held.of(member), bond);
    }

    /** A bond is opened: what was added to it when it was open before is no member now. */
    synchronized void forget(final BondDevice bond) {
        holders.values().removeIf(holder -> holder == bond);
    }

    /** All devices there are. Bonds are not looked at: they are no members, and their configuration may be wrong. */
    private static List<Device> listed() {
        final List<Device> all = new ArrayList<>();
        for (final DeviceProvider provider : Devices.providers()) {
            if (!(provider instanceof BondProvider)) {
                all.addAll(provider.devices());
            }
        }
        return all;
    }
}
