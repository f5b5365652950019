package io.vhca.bond;

import io.vhca.api.Context;
import io.vhca.api.Device;

/** Opens a member's device again after it was gone. Called with the control lock held, now and then. */
public interface MemberSource {
    /** The same device object, which stands for the adapter and not for one plugging-in of it. */
    MemberSource SAME_DEVICE = Device::open;

    /**
     * Opens the device that has the node GUID of the one that was lost, whatever its name is now.
     *
     * @throws io.vhca.api.VerbsException while there is none
     */
    Context open(Device lost);
}
