package io.vhca.bond.member;

import io.vhca.api.Context;
import io.vhca.api.Device;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import java.util.Set;

/** Opens devices for a bond that runs already. Called now and then. */
public interface MemberSource {
    /** The same device object, which stands for the adapter and not for one plugging-in of it. */
    MemberSource SAME_DEVICE = (lost, siblings) -> lost.open();

    /**
     * Whether two are one adapter: by the node GUID, whatever the names, where there is one. A virtual function may
     * have none, which is 0: those are told apart by their names.
     */
    static boolean isSame(final Device one, final Device other) {
        return adapter(one).equals(adapter(other));
    }

    /** What stands for the adapter of a device in a map: its node GUID, or its name where it has none. */
    static Object adapter(final Device device) {
        return device.nodeGuid() != 0 ? (Object) device.nodeGuid() : device.name();
    }

    /**
     * Opens the device that {@linkplain #isSame is} the one that was lost. Devices over a network interface and over a
     * VLAN of it may share a node GUID: of several it is the one of the same name, and never another member's. Control
     * lock.
     *
     * @param siblings names of the devices with that node GUID that other members have
     * @throws VerbsException while there is none
     */
    Context open(Device lost, Set<String> siblings);

    /**
     * Opens a device that shall become a member. Not under the control lock.
     *
     * @throws VerbsException ENODEV when there is no such device, EBUSY when it belongs to somebody else
     */
    default Context open(final String name) {
        throw new VerbsException("openDevice", Errno.ENODEV, name, "this bond has the members that it was given");
    }

    /** The member whose device was lost has that one from now on, which may have another name. Control lock. */
    default void cameBack(final Device lost, final Device now) {
        // This source does not record who holds a device.
    }

    /** A device is no member any more, and closed. Any thread. */
    default void released(final Device device) {
        // This source does not record who holds a device.
    }
}
