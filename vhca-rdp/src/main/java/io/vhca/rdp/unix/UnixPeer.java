package io.vhca.rdp.unix;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Method;
import java.nio.channels.SocketChannel;

/**
 * The process at the other end of a Unix domain socket, when it connected or listened, as the kernel says it.
 *
 * @param pid 0 where that process is of another namespace of processes
 */
public record UnixPeer(int pid, long user, long group) {
    private static final String FLAG = "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED";
    private static final int SOL_SOCKET = 1;
    private static final int SO_PEERCRED = 17;
    private static final int MSG_DONTWAIT = 0x40;
    private static final int MSG_NOSIGNAL = 0x4000;
    private static final int MSG_CMSG_CLOEXEC = 0x4000_0000;

    /** Makes the calls ready that the others need, which takes a process that has just begun much of a second. */
    public static void prepare() {
        Libc.prepare();
    }

    /** Who is there. */
    public static UnixPeer of(final SocketChannel channel) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment value = arena.allocate(3 * Integer.BYTES, Integer.BYTES);
            Libc.getsockopt(descriptor(channel), SOL_SOCKET, SO_PEERCRED, value);
            return new UnixPeer(
                    value.getAtIndex(ValueLayout.JAVA_INT, 0), number(value, 1), number(value, 2));
        }
    }

    /** Of a user or a group, which the kernel counts without a sign. */
    private static long number(final MemorySegment value, final int at) {
        return Integer.toUnsignedLong(value.getAtIndex(ValueLayout.JAVA_INT, at));
    }

    /** Sends a message and memory beside it; the other end has a descriptor of its own for it then. Does not wait. */
    public static void send(final SocketChannel to, final byte[] message, final MemoryFile memory) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment bytes = arena.allocateFrom(ValueLayout.JAVA_BYTE, message);
            final MessageHeader header = new MessageHeader(arena, bytes);
            header.descriptor(memory.descriptor());
            final long sent = Libc.sendmsg(descriptor(to), header.segment(), MSG_DONTWAIT | MSG_NOSIGNAL);
            if (sent != message.length) {
                throw new IOException("only " + sent + " bytes of " + message.length + " were sent");
            }
        }
    }

    /**
     * Receives a message into the array. Does not wait: it must be there.
     *
     * @return the descriptor that came with it, which is the caller's; -1 for none
     * @throws IOException where the message is shorter, as one that never was sent is, or has more descriptors
     */
    public static int receive(final SocketChannel from, final byte[] message) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment bytes = arena.allocate(message.length);
            final MessageHeader header = new MessageHeader(arena, bytes);
            final long length = Libc.recvmsg(descriptor(from), header.segment(), MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
            final int descriptor = header.descriptor();
            if (length != message.length || header.isCut()) {
                MemoryFile.giveBack(descriptor);
                if (!header.isCut()) {
                    throw new IOException(length + " bytes came, and " + message.length + " were expected");
                }
                throw new IOException(
                        descriptor < 0
                                ? "a descriptor came that cannot be had; too many files may be open"
                                : "more than one descriptor came");
            }
            MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, 0, message, 0, message.length);
            return descriptor;
        }
    }

    static int descriptor(final SocketChannel channel) {
        try {
            final Method number = Class.forName("sun.nio.ch.SelChImpl").getMethod("getFDVal");
            return (int) number.invoke(channel);
        } catch (final ReflectiveOperationException e) {
            throw new IllegalStateException(
                    "a shared driver needs the descriptors of sockets: start the JVM with " + FLAG, e);
        }
    }
}
