package io.vhca.harness.bond;

import io.vhca.api.Context;
import io.vhca.api.Device;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.bond.member.MemberSource;
import io.vhca.physical.soft.SoftContext;
import io.vhca.physical.soft.SoftDevice;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/** The devices that there are in a machine, for its bond to open. */
record HostSource(BondPair.Host host, LongSupplier nowNs) implements MemberSource {
    /** The bond looks for a device that it lost: found by its node GUID alone. */
    @Override
    public Context open(final Device lost, final Set<String> siblings) {
        return open(lost.name(), device -> device.nodeGuid() == lost.nodeGuid());
    }

    @Override
    public Context open(final String name) {
        return open(name, device -> device.name().equals(name));
    }

    private Context open(final String name, final Predicate<SoftDevice> isIt) {
        for (int i = 0; i < host.devices.length; i++) {
            if (isIt.test(host.devices[i])) {
                host.contexts[i] = opened(host.devices[i]);
                return host.contexts[i];
            }
        }
        for (final SoftDevice spare : host.spares.values()) {
            if (isIt.test(spare)) {
                host.spareContexts.add(opened(spare));
                return host.spareContexts.getLast();
            }
        }
        throw new VerbsException("openDevice", Errno.ENODEV, name, "it is not there");
    }

    private SoftContext opened(final SoftDevice device) {
        final SoftContext context = device.open();
        context.doWork(nowNs.getAsLong());
        return context;
    }
}
