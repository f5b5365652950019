package io.vhca.rdp;

import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.VerbsException;
import io.vhca.rdp.completion.DirectedReceipt;
import io.vhca.rdp.engine.OutFlow;
import io.vhca.rdp.engine.SendResult;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Directed sends and receives of one socket: the receiver names memory by a tag, the sender writes a datagram there,
 * and nothing is copied on either side. Any thread; the calls of several exclude each other. It holds nothing: as many
 * may be made of one socket as are wanted.
 */
public final class RdpDirected {
    /** One message of a device is not longer. */
    private static final int LONGEST = 1 << 30;

    private final EngineSocket socket;
    private final String name;

    /**
     * @throws VerbsException EOPNOTSUPP where the socket's driver is not in this process
     */
    public RdpDirected(final RdpSocket of) {
        if (!(of instanceof final EngineSocket own)) {
            throw new VerbsException(
                    "directed", Errno.EOPNOTSUPP, "socket of " + of.driver().address(),
                    "a driver of another process cannot have this one's memory written to; open an RdpDriver here");
        }
        socket = own;
        name = "socket of " + own.driver().address();
    }

    /**
     * Names memory for one datagram of one other socket. The memory is an {@link java.lang.foreign.Arena}'s; it must
     * not be used until {@link #poll} says the tag, and {@link RdpDriver#forget} goes before it is given back. What is
     * named outlives a path that is lost.
     *
     * @param from address and port as a receive says them
     * @throws VerbsException EEXIST where memory is named so already, ENOMEM where it cannot be registered, EFAULT
     *     where it is read-only or its arena was closed, EINVAL
     */
    public void receive(final MemorySegment memory, final InetSocketAddress from, final long tag) {
        check("receiveDirected", memory);
        NativeMemory.requireWritable("receiveDirected", name, memory);
        socket.driver().inside(inner -> {
            socket.checkOpen("receiveDirected")
                    .offers()
                    .offer(memory.address(), (int) memory.byteSize(), from, tag);
            return this;
        });
    }

    /** Asks for named memory back; {@link #poll} says when it is. False where none is named so. */
    public boolean withdraw(final InetSocketAddress from, final long tag) {
        return socket.driver().inside(
                inner -> socket.checkOpen("withdraw").offers().withdraw(from, tag));
    }

    /**
     * What became of the next memory that was named; null where nothing is new. All that its sender sent before is in
     * the socket.
     */
    public @Nullable DirectedReceipt poll() {
        socket.driver().enter();
        try {
            return socket.checkOpen("pollDirected").offers().poll();
        } finally {
            socket.driver().leave();
        }
    }

    /**
     * Writes into the memory that the destination has named by that tag. It answers as {@link RdpSocket#send} does,
     * WOULD_BLOCK also where no memory is named so yet, TOO_LONG where there is too little of it. When it is SENT the
     * memory must not change until {@link RdpSocket#poll} says the token.
     */
    public SendResult send(
            final MemorySegment datagram, final InetSocketAddress destination, final long tag, final long token) {
        check("sendDirected", datagram);
        socket.driver().enter();
        try {
            final OutFlow flow = socket.sender().flow(socket.checkOpen("sendDirected"), destination);
            return socket.answered(socket.driver()
                    .engine()
                    .directedSender()
                    .send(flow, datagram.address(), (int) datagram.byteSize(), tag, token));
        } finally {
            socket.driver().leave();
        }
    }

    private void check(final String verb, final MemorySegment memory) {
        if (!memory.isNative() || memory.byteSize() == 0 || memory.byteSize() > LONGEST) {
            throw new VerbsException(
                    verb, Errno.EINVAL, name,
                    "it cannot be " + memory + "; use 1 .. " + LONGEST + " bytes of an Arena");
        }
        NativeMemory.requireAlive(verb, name, memory);
    }
}
