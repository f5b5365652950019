package io.vhca.physical.soft.engine;

import io.vhca.api.AhAttributes;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The address handles by index, with a generation in the handle's high half. The engine's owner. */
final class AhTable {
    private @Nullable SoftAh[] slots = new SoftAh[4];
    private int[] generations = new int[4];
    private int live;

    int live() {
        return live;
    }

    SoftAh add(final SoftPd pd, final AhAttributes attributes, final Path path) {
        int index = 0;
        while (index < slots.length && slots[index] != null) {
            index++;
        }
        if (index == slots.length) {
            slots = Arrays.copyOf(slots, index * 2);
            generations = Arrays.copyOf(generations, index * 2);
        }
        final SoftAh ah = new SoftAh(pd, attributes, path, (long) ++generations[index] << Integer.SIZE | index);
        slots[index] = ah;
        live++;
        return ah;
    }

    void remove(final SoftAh ah) {
        slots[(int) ah.handle()] = null;
        live--;
    }

    /** The handle's owner, or null for one that does not exist (any more). */
    @Nullable SoftAh find(final long handle) {
        final int index = (int) handle;
        final SoftAh ah = index >= 0 && index < slots.length ? slots[index] : null;
        return ah != null && ah.handle() == handle ? ah : null;
    }
}
