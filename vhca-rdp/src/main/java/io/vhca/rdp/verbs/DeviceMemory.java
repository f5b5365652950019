package io.vhca.rdp.verbs;

import io.vhca.api.AccessFlags;
import io.vhca.api.MemoryRegion;
import io.vhca.api.ProtectionDomain;
import io.vhca.rdp.engine.RegisteredMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Memory of the driver's pools, registered with its device. One thread at a time. */
final class DeviceMemory implements RegisteredMemory, AutoCloseable {
    private static final int ALIGNMENT = 64;

    private final ProtectionDomain pd;
    private final Arena arena = Arena.ofShared();
    private final List<MemoryRegion> regions = new ArrayList<>();

    DeviceMemory(final ProtectionDomain pd) {
        this.pd = pd;
    }

    @Override
    public Chunk allocate(final long lengthBytes) {
        final MemorySegment memory = arena.allocate(lengthBytes, ALIGNMENT);
        final MemoryRegion region = pd.regMr(memory, AccessFlags.LOCAL_WRITE);
        regions.add(region);
        return new Chunk(memory.address(), region.lkey());
    }

    /** All connections are closed before. */
    @Override
    public void close() {
        regions.forEach(MemoryRegion::close);
        arena.close();
    }
}
