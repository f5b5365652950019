package io.vhca.rdp.verbs;

import io.vhca.api.AccessFlags;
import io.vhca.api.MemoryRegion;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.VerbsException;
import io.vhca.rdp.memory.RegisteredMemory;
import io.vhca.rdp.memory.Registrar;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Memory of the driver's pools and of applications, registered with its device. One thread at a time. */
final class DeviceMemory implements RegisteredMemory, Registrar, AutoCloseable {
    private static final int ALIGNMENT = 64;

    private final ProtectionDomain pd;
    private final List<Piece> pieces = new ArrayList<>();

    private record Piece(Arena arena, MemoryRegion region) {
        void close() {
            region.close();
            arena.close();
        }
    }

    DeviceMemory(final ProtectionDomain pd) {
        this.pd = pd;
    }

    @Override
    public @Nullable Chunk allocate(final long lengthBytes) {
        final Arena arena = Arena.ofShared();
        try {
            final MemorySegment memory = arena.allocate(lengthBytes, ALIGNMENT);
            final MemoryRegion region = pd.regMr(memory, AccessFlags.LOCAL_WRITE);
            pieces.add(new Piece(arena, region));
            return new Chunk(memory.address(), region.lkey());
        } catch (final VerbsException | OutOfMemoryError e) {
            // There is no more, or no more may be locked: who wants it waits for a buffer that comes back.
            assert !(e instanceof final VerbsException refused) || refused.errno() > 0;
            arena.close();
            return null;
        }
    }

    private record OfApplication(MemoryRegion region) implements Registered {
        @Override
        public int lkey() {
            return region.lkey();
        }

        @Override
        public int rkey() {
            return region.rkey();
        }

        @Override
        public void close() {
            region.close();
        }
    }

    @Override
    public @Nullable Registered register(final long address, final long lengthBytes, final boolean isWritable) {
        final int access = isWritable ? AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE : 0;
        try {
            return new OfApplication(pd.regMr(MemorySegment.ofAddress(address).reinterpret(lengthBytes), access));
        } catch (final VerbsException e) {
            // The device has no room for it, or may not: the caller copies, or says so.
            assert e.errno() > 0;
            return null;
        }
    }

    /** All connections are closed before. */
    @Override
    public void close() {
        while (!pieces.isEmpty()) {
            pieces.getLast().close();
            pieces.removeLast();
        }
    }
}
