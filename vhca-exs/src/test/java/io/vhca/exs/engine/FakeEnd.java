package io.vhca.exs.engine;

import io.vhca.api.NativeMemory;
import io.vhca.api.WcStatus;
import io.vhca.exs.wire.Greeting;
import io.vhca.exs.wire.MessageDescriptor;
import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One end of a reliable connection made of two queues: what was posted happens in order, when the test says so, and
 * completes in order. A message finds a receive that is posted, or waits, as with endless RNR retries.
 */
final class FakeEnd implements Port, CallSink {
    /** What becomes of a message before the peer sees it. */
    interface Tamper {
        void message(long at, int lengthBytes);
    }

    enum Kind { MESSAGE, READ, WRITE, WRITE_WITH_IMM, PROBE }

    record Work(Kind kind, long address, int length, long remote, int rkey, int imm, boolean isSignaled) {}

    /** A call that completed, as the application sees it. */
    record Done(long sequence, long bytes, int errno, boolean isTruncated, @Nullable Object cookie) {}

    static final int SLOT = 4_096;

    final SocketEngine engine;
    final List<Done> done = new ArrayList<>();
    final ArrayDeque<Work> posted = new ArrayDeque<>();
    final ArrayDeque<Integer> receives = new ArrayDeque<>();
    final EngineSizes sizes;
    Tamper tamper = (at, length) -> {};
    int readExtra;
    long reads;
    long writes;
    long messages;
    long probes;
    boolean isGone;
    int happened;
    int most;
    private final long sendSlots;
    private final long receiveSlots;
    private int revoked = -1;

    FakeEnd(final Arena arena, final boolean isPackets, final EngineSizes sizes, final Greeting peer) {
        this.sizes = sizes;
        sendSlots = arena.allocate((long) sizes.messageSlots() * SLOT, 64).address();
        receiveSlots = arena.allocate((long) sizes.receiveSlots() * SLOT, 64).address();
        for (int slot = 0; slot < sizes.receiveSlots(); slot++) {
            receives.add(slot);
        }
        engine = new SocketEngine(isPackets, sizes, peer, this, this);
    }

    @Override
    public long messageAddress(final int slot) {
        return sendSlots + (long) slot * SLOT;
    }

    private void post(final Work work) {
        posted.add(work);
        most = Math.max(most, posted.size());
    }

    @Override
    public void postMessage(final int slot, final int lengthBytes, final boolean isSignaled) {
        messages++;
        tamper.message(messageAddress(slot), lengthBytes);
        post(new Work(Kind.MESSAGE, messageAddress(slot), lengthBytes, 0, 0, 0, isSignaled));
    }

    @Override
    public void postRead(
            final long address, final int lkey, final int lengthBytes, final long remoteAddress, final int rkey) {
        reads++;
        post(new Work(Kind.READ, address, lengthBytes + readExtra, remoteAddress, rkey, 0, true));
    }

    @Override
    public void postWrite(
            final long address, final int lkey, final int lengthBytes, final long remoteAddress, final int rkey) {
        post(new Work(Kind.WRITE, address, lengthBytes, remoteAddress, rkey, 0, false));
    }

    @Override
    public void postWriteWithImm(
            final long address,
            final int lkey,
            final int lengthBytes,
            final long remoteAddress,
            final int rkey,
            final int imm) {
        writes++;
        post(new Work(Kind.WRITE_WITH_IMM, address, lengthBytes, remoteAddress, rkey, imm, true));
    }

    @Override
    public void postProbe() {
        probes++;
        post(new Work(Kind.PROBE, 0, 0, 0, 0, 0, true));
    }

    @Override
    public void postReceive(final int slot) {
        receives.add(slot);
        if (receives.size() > sizes.receiveSlots()) {
            throw new AssertionError("a receive slot was posted twice: " + slot);
        }
    }

    @Override
    public void sent(final Call call) {
        completed(call);
    }

    @Override
    public void received(final Call call) {
        completed(call);
    }

    private void completed(final Call call) {
        done.add(new Done(call.sequence(), call.bytes(), call.errno(), call.isTruncated(), call.cookie));
    }

    /** From now on the peer cannot reach memory with that key. */
    void revoke(final int rkey) {
        revoked = rkey;
    }

    /** Lets the first thing that was posted happen at the peer; false when there is none, or no receive for it. */
    boolean happen(final FakeEnd peer) {
        final Work work = posted.peek();
        final boolean isReceived = work != null && (work.kind == Kind.MESSAGE || work.kind == Kind.WRITE_WITH_IMM);
        if (work == null || isReceived && peer.receives.isEmpty()) {
            return false;
        }
        posted.remove();
        final int number = happened++;
        if (peer.isGone) {
            engine.onSendFailed(number, WcStatus.RETRY_EXC_ERR);
            return true;
        }
        if (work.kind != Kind.MESSAGE && work.rkey == peer.revoked) {
            engine.onSendFailed(number, WcStatus.REM_ACCESS_ERR);
            return true;
        }
        switch (work.kind) {
            case MESSAGE -> {
                final int slot = peer.receives.remove();
                final long at = peer.receiveSlots + (long) slot * SLOT;
                NativeMemory.copy(work.address, at, work.length);
                peer.engine.onMessage(slot, at, work.length);
            }
            case PROBE -> {
                // nobody there notices
            }
            case READ -> NativeMemory.copy(work.remote, work.address, work.length);
            case WRITE -> NativeMemory.copy(work.address, work.remote, work.length);
            case WRITE_WITH_IMM -> {
                NativeMemory.copy(work.address, work.remote, work.length);
                peer.engine.onWriteWithImm(peer.receives.remove(), work.imm);
            }
        }
        if (work.isSignaled) {
            engine.onSent(number);
        }
        return true;
    }

    /** Puts a message of the test's own into the first receive slot. */
    void receive(final byte[] message) {
        final int slot = receives.remove();
        final long at = receiveSlots + (long) slot * SLOT;
        for (int i = 0; i < message.length; i++) {
            NativeMemory.putByte(at + i, message[i]);
        }
        engine.onMessage(slot, at, message.length);
        engine.progress();
    }

    /** A message as the peer would write it. */
    static byte[] message(final int type, final int flags, final int dataLength, final int number) {
        try (Arena arena = Arena.ofConfined()) {
            final long at = arena.allocate(MessageDescriptor.SIZE + dataLength).address();
            MessageDescriptor.write(at, type, flags, dataLength, number);
            MessageDescriptor.writeReturns(at, 0, 0, 0);
            return NativeMemory.segment(at, MessageDescriptor.SIZE + dataLength)
                    .toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
        }
    }
}
