package io.vhca.rdp.unix;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Memory that processes share, and that has no name in any directory: who has it was sent it. Its size is sealed, so
 * that no end can take away what the other one has mapped. Close it when it was sent; what is mapped stays.
 */
public final class MemoryFile implements AutoCloseable {
    private static final int MFD_CLOEXEC = 1;
    private static final int MFD_ALLOW_SEALING = 2;
    private static final int F_ADD_SEALS = 1_033;
    private static final int F_GET_SEALS = 1_034;
    /** F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW. */
    private static final int SEALS = 1 | 2 | 4;

    private final int descriptor;
    private final MappedByteBuffer map;

    private MemoryFile(final int descriptor, final MappedByteBuffer map) {
        this.descriptor = descriptor;
        this.map = map;
    }

    /**
     * New memory, all zeros.
     *
     * @param name for people who look at the process
     */
    public static MemoryFile create(final String name, final int size) throws IOException {
        final int descriptor = Libc.memfdCreate(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
        boolean isDone = false;
        try {
            final MappedByteBuffer map = map(descriptor, size);
            Libc.fcntl(descriptor, F_ADD_SEALS, SEALS);
            isDone = true;
            return new MemoryFile(descriptor, map);
        } finally {
            if (!isDone) {
                Libc.close(descriptor);
            }
        }
    }

    /**
     * Memory that another process sent; the descriptor is this object's, or closed where that is not possible.
     *
     * @throws IOException where it is not of that size, or not sealed
     */
    public static MemoryFile open(final int descriptor, final int size) throws IOException {
        boolean isDone = false;
        try {
            final int seals = Libc.fcntl(descriptor, F_GET_SEALS, 0);
            try (FileChannel channel = channel(descriptor)) {
                if ((seals & SEALS) != SEALS || channel.size() != size) {
                    throw new IOException("the memory that was sent has " + channel.size() + " bytes and seals " + seals
                            + "; " + size + " and " + SEALS + " were expected");
                }
            }
            final MemoryFile file = new MemoryFile(descriptor, map(descriptor, size));
            isDone = true;
            return file;
        } finally {
            if (!isDone) {
                Libc.close(descriptor);
            }
        }
    }

    /** Gives a descriptor back that another process sent, where that memory is not opened; nothing for -1. */
    public static void giveBack(final int descriptor) throws IOException {
        if (descriptor >= 0) {
            Libc.close(descriptor);
        }
    }

    private static FileChannel channel(final int descriptor) throws IOException {
        return FileChannel.open(
                Path.of("/proc/self/fd/" + descriptor), StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    /** Makes it as large where it is smaller. */
    private static MappedByteBuffer map(final int descriptor, final int size) throws IOException {
        try (FileChannel channel = channel(descriptor)) {
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, size);
        }
    }

    int descriptor() {
        return descriptor;
    }

    /** The memory itself; who unmaps it sees to it that nobody of this process uses it. */
    public MappedByteBuffer map() {
        return map;
    }

    /** Gives the descriptor back. */
    @Override
    public void close() throws IOException {
        Libc.close(descriptor);
    }
}
