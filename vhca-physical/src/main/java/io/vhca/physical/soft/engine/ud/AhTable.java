package io.vhca.physical.soft.engine.ud;

import io.vhca.api.AhAttributes;
import io.vhca.physical.soft.engine.core.EngineCore;
import io.vhca.physical.soft.engine.core.Path;
import io.vhca.physical.soft.engine.core.UseCount;
import io.vhca.physical.soft.engine.memory.MemoryDomain;
import io.vhca.physical.soft.engine.port.Port;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The address handles of a device by number. The engine's owner.
 *
 * <pre>
 *   63           32 31           0
 *   |  generation  |    index    |      an old handle finds no new owner
 * </pre>
 */
public final class AhTable {
    private final EngineCore core;
    private final Port port;
    private final UseCount live;
    private @Nullable SoftAh[] slots = new SoftAh[4];
    private int[] generations = new int[4];

    /** Empty. */
    public AhTable(final EngineCore core, final Port port) {
        this.core = core;
        this.port = port;
        live = new UseCount(core);
    }

    /** Creates an address handle; EINVAL or ENOMEM where the device cannot. */
    public SoftAh create(final MemoryDomain domain, final AhAttributes attributes) {
        core.require(
                "createAh",
                !attributes.dgid().isZero() && attributes.sgidIndex() == port.gidIndex() && attributes.portNum() == 1,
                "an address needs a destination GID, the sgid_index of the port's GID and port 1");
        final String fault = attributes.fault();
        core.require("createAh", fault.isEmpty(), fault);
        live.requireBelow("createAh", core.config().maxAh());
        int index = 0;
        while (index < slots.length && slots[index] != null) {
            index++;
        }
        if (index == slots.length) {
            slots = Arrays.copyOf(slots, index * 2);
            generations = Arrays.copyOf(generations, index * 2);
        }
        final Path path = port.path("createAh", attributes);
        final long handle = (long) ++generations[index] << Integer.SIZE | index;
        final SoftAh ah = new SoftAh(core, this, domain, attributes, path, handle);
        slots[index] = ah;
        live.added();
        domain.addUser();
        return ah;
    }

    void remove(final SoftAh ah) {
        final int index = (int) ah.handle();
        assert slots[index] == ah : "the handle is another's";
        slots[index] = null;
        port.release(ah.path());
        live.removed();
    }

    /** The handle's owner, or null for one that does not exist (any more). */
    @Nullable SoftAh find(final long handle) {
        final int index = (int) handle;
        final SoftAh ah = index >= 0 && index < slots.length ? slots[index] : null;
        return ah != null && ah.handle() == handle ? ah : null;
    }
}
