package io.vhca.physical.verbs;

import io.vhca.api.Device;
import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.NodeType;
import io.vhca.api.VerbsException;
import io.vhca.physical.rdmacore.ibv_device;
import io.vhca.physical.verbs.lib.Ibv;
import io.vhca.physical.verbs.lib.VerbFailure;
import java.lang.foreign.MemoryLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * A device of libibverbs ({@code struct ibv_device}). It stands for the adapter, not for one plugging-in of it: a
 * device that went and came back is opened again through the same object, and found again by its node GUID whatever
 * its name. Any thread.
 */
public final class VerbsDevice implements Device {
    private static final ConcurrentMap<String, VerbsDevice> KNOWN = new ConcurrentHashMap<>();
    private static final long NODE_TYPE_OFFSET = ibv_device.node_type$offset();
    private static final long NAME_OFFSET =
            ibv_device.layout().byteOffset(MemoryLayout.PathElement.groupElement("name"));

    private final String name;
    private final long nodeGuid;
    private final NodeType nodeType;
    /** Largest inline data of a QP, 0 until a context was granted some. */
    private volatile int maxInlineData;

    private VerbsDevice(final String name, final long nodeGuid, final NodeType nodeType) {
        this.name = name;
        this.nodeGuid = nodeGuid;
        this.nodeType = nodeType;
    }

    /** What to do with one {@code struct ibv_device} of the list; null to go on. */
    private interface Visitor<R> {
        @Nullable R visit(long device);
    }

    private static <R> @Nullable R visit(final Visitor<R> visitor) {
        final long list = Ibv.GET_DEVICE_LIST.pointer(0);
        if (list <= 0) {
            return null;
        }
        try {
            for (long at = list; NativeMemory.getLong(at) != 0; at += Long.BYTES) {
                final R result = visitor.visit(NativeMemory.getLong(at));
                if (result != null) {
                    return result;
                }
            }
            return null;
        } finally {
            Ibv.FREE_DEVICE_LIST.value(list);
        }
    }

    /** The devices there are now. */
    static List<Device> list() {
        final List<Device> devices = new ArrayList<>();
        visit(device -> {
            devices.add(of(device));
            return null;
        });
        return devices;
    }

    private static VerbsDevice of(final long device) {
        final String name = nameOf(device);
        final long guid = guidOf(device);
        return KNOWN.computeIfAbsent(
                name + '/' + Long.toHexString(guid),
                key -> new VerbsDevice(
                        name, guid, NodeType.fromCode(NativeMemory.getInt(device + NODE_TYPE_OFFSET))));
    }

    /** Name of a {@code struct ibv_device}. */
    static String nameOf(final long device) {
        return NativeMemory.segment(device + NAME_OFFSET, 64).getString(0);
    }

    private static long guidOf(final long device) {
        return Long.reverseBytes(Ibv.GET_DEVICE_GUID.value(device));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long nodeGuid() {
        return nodeGuid;
    }

    @Override
    public NodeType nodeType() {
        return nodeType;
    }

    int maxInlineData() {
        return maxInlineData;
    }

    void maxInlineData(final int bytes) {
        maxInlineData = bytes;
    }

    /**
     * Opens the device; several contexts of it may be open at once. Starts the provider's event thread with the first.
     *
     * @throws VerbsException ENODEV when no device has this node GUID now, EPERM or EACCES without access to
     *     /dev/infiniband
     */
    @Override
    public VerbsContext open() {
        final Long opened = visit(device -> guidOf(device) == nodeGuid
                        && (nameOf(device).equals(name) || nodeGuid != 0 && !isListed())
                ? Long.valueOf(Ibv.OPEN_DEVICE.pointer(device))
                : null);
        if (opened == null) {
            throw new VerbsException(
                    "openDevice",
                    Errno.ENODEV,
                    name,
                    "no device has the node GUID " + Long.toHexString(nodeGuid)
                            + " now: it was removed; `rdma link` lists what there is");
        }
        if (opened < 0) {
            throw VerbFailure.of("openDevice", opened, name);
        }
        return VerbsContext.of(this, opened);
    }

    /** True when a device of this name and GUID is there. */
    private boolean isListed() {
        return visit(device -> guidOf(device) == nodeGuid && nameOf(device).equals(name) ? Boolean.TRUE : null) != null;
    }

    @Override
    public String toString() {
        return name;
    }
}
