package io.vhca.bond.link;

import static io.vhca.bond.wire.ChannelMessageDescriptor.KIND_OFFSET;
import static io.vhca.bond.wire.ChannelMessageDescriptor.LENGTH_OFFSET;
import static io.vhca.bond.wire.ChannelMessageDescriptor.MAX_SIZE;
import static io.vhca.bond.wire.ChannelMessageDescriptor.NUMBER_OFFSET;
import static io.vhca.bond.wire.ChannelMessageDescriptor.RECORD_OFFSET;
import static io.vhca.bond.wire.ChannelMessageDescriptor.TARGET_OFFSET;

import io.vhca.api.NativeMemory;
import io.vhca.api.QpAttributes;
import io.vhca.api.VerbsException;
import io.vhca.api.WcDescriptor;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.wire.ChannelMessageDescriptor;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Objects;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One connection of the bonds' own over one path, beside the data: by it vQPs recover over what stands by on that path.
 * It does not recover; who uses it hears that it is over. Control lock. Owns its queue pair and all under that.
 */
public final class PathChannel implements PathLink.Owner {
    /** Short waits of a message that found no receive, by the code of verbs: 0.01 ms. */
    private static final int MIN_RNR_TIMER = 1;
    /** For ever, by verbs: the other end makes room in each of its turns. */
    private static final int RNR_RETRY = 7;

    private static final int BATCH = 16;

    private final BondCore core;
    private final Links links;
    private final ChannelWakers wakers;
    private final Listener listener;
    private final ArrayDeque<byte[]> queued = new ArrayDeque<>();
    private final ArrayDeque<Integer> free = new ArrayDeque<>();
    private @Nullable PathLink link;
    private @Nullable ChannelQp own;
    private boolean established;
    private boolean over;

    /** Who is told what arrives. */
    public interface Listener {
        /**
         * A message of {@link ChannelMessageDescriptor}.
         *
         * @param data the record, as it came
         */
        void onMessage(PathChannel channel, int kind, int qpNum, int number, byte[] data, long nowNs);

        /** It carries from now on. */
        void onEstablished(PathChannel channel);

        /** It is over, or was never made; nothing else is told of it. */
        void onOver(PathChannel channel);
    }

    PathChannel(final BondCore core, final Links links, final ChannelWakers wakers, final Listener listener) {
        this.core = core;
        this.links = links;
        this.wakers = wakers;
        this.listener = listener;
    }

    /** The connection that makes it; its owner is this. */
    public void begin(final PathLink made) {
        assert core.holdsLock() && link == null;
        link = made;
    }

    /** Passive: answers the REQ. */
    public void accept(final PathLink request, final byte[] reply, final long nowNs) {
        begin(request);
        request.owner(this);
        try {
            onLinkReady(request);
            request.accept(reply, nowNs);
        } catch (final VerbsException e) {
            core.counters().ignored(e);
            end();
        }
    }

    /** What both sides will say by it over a connection of a vQP that stands by. */
    public StandbyTalk talk(final PathLink standing, final int peerQpNum, final int number) {
        assert core.holdsLock();
        return new StandbyTalk(links, standing, new ChannelCarrier(this, peerQpNum, number));
    }

    public boolean isEstablished() {
        return established && !over;
    }

    public boolean isOver() {
        return over;
    }

    /** Sends a message now, or behind those that wait. */
    public void send(final int kind, final int qpNum, final int number, final byte[] record) {
        assert core.holdsLock();
        assert RECORD_OFFSET + record.length <= MAX_SIZE : "a record of " + record.length + " bytes";
        final byte[] message = new byte[RECORD_OFFSET + record.length];
        final MutableDirectBuffer buffer = new UnsafeBuffer(message);
        buffer.putByte(KIND_OFFSET, (byte) kind);
        buffer.putShort(LENGTH_OFFSET, (short) record.length, ByteOrder.BIG_ENDIAN);
        buffer.putInt(TARGET_OFFSET, qpNum, ByteOrder.BIG_ENDIAN);
        buffer.putInt(NUMBER_OFFSET, number, ByteOrder.BIG_ENDIAN);
        buffer.putBytes(RECORD_OFFSET, record);
        queued.add(message);
        flush();
    }

    private void flush() {
        final ChannelQp qp = own;
        while (isEstablished() && qp != null && !queued.isEmpty() && !free.isEmpty()) {
            final int slot = free.remove();
            if (!qp.send(slot, queued.remove())) {
                end();
            }
        }
    }

    /** Takes what arrived and what was sent; how much that was. */
    public int poll(final long nowNs) {
        assert core.holdsLock();
        final ChannelQp qp = own;
        if (qp == null || over) {
            return 0;
        }
        final long wcs = core.scratchWcs(BATCH);
        final int count = qp.poll(wcs, BATCH);
        final ArrayDeque<byte[]> arrived = new ArrayDeque<>();
        boolean isBroken = count < 0;
        for (int i = 0; i < count; i++) {
            final long wc = wcs + (long) i * WcDescriptor.SIZE;
            final int slot = (int) NativeMemory.getLong(wc + WcDescriptor.WR_ID_OFFSET);
            if (NativeMemory.getInt(wc + WcDescriptor.STATUS_OFFSET) != 0) {
                isBroken = true;
            } else if (ChannelQp.isSend(slot)) {
                free.add(slot);
            } else {
                arrived.add(qp.take(slot, NativeMemory.getInt(wc + WcDescriptor.BYTE_LEN_OFFSET)));
            }
        }
        arrived.forEach(message -> tell(message, nowNs)); // which may use the memory of completions
        if (isBroken) {
            end();
        } else {
            flush();
        }
        return Math.max(0, count);
    }

    private void tell(final byte[] message, final long nowNs) {
        final MutableDirectBuffer buffer = new UnsafeBuffer(message);
        final boolean hasHeader = message.length >= RECORD_OFFSET;
        final int kind = hasHeader ? buffer.getByte(KIND_OFFSET) : 0;
        final int length = hasHeader ? buffer.getShort(LENGTH_OFFSET, ByteOrder.BIG_ENDIAN) & 0xFFFF : 0;
        if (!ChannelMessageDescriptor.isWhole(kind, length, message.length)) {
            core.counters().add(Counter.CONTROL_GARBAGE, 1);
            return;
        }
        final byte[] record = new byte[length];
        buffer.getBytes(RECORD_OFFSET, record);
        listener.onMessage(
                this, kind, buffer.getInt(TARGET_OFFSET, ByteOrder.BIG_ENDIAN),
                buffer.getInt(NUMBER_OFFSET, ByteOrder.BIG_ENDIAN), record, nowNs);
    }

    /** It is not wanted any more. Idempotent. */
    public void end() {
        assert core.holdsLock();
        if (!over) {
            over = true;
            queued.clear();
            final PathLink made = link;
            if (made != null) {
                made.close();
            }
            listener.onOver(this);
        }
    }

    // ---- what becomes of its connection -----------------------------------------------------------------------------

    @Override
    public void onLinkReady(final PathLink ready) {
        final ChannelQp[] made = new ChannelQp[1];
        ready.createQp((id, member) -> made[0] = ChannelQp.create(core, wakers, id, member));
        own = made[0];
        for (int slot = 0; slot < ChannelQp.DEPTH; slot++) {
            free.add(slot);
        }
    }

    @Override
    public void onLinkEstablished(
            final PathLink made, final byte[] reply, final ConnectParameters parameters, final long nowNs) {
        final ChannelQp qp = Objects.requireNonNull(own);
        try {
            qp.queuePair().modify(new QpAttributes().minRnrTimer(MIN_RNR_TIMER));
        } catch (final VerbsException e) {
            core.counters().ignored(e);
        }
        established = true;
        flush();
        listener.onEstablished(this);
    }

    @Override
    public void onLinkRejected(final PathLink rejected, final byte[] privateData, final long nowNs) {
        end();
    }

    @Override
    public void onLinkFailed(final PathLink failed, final long nowNs) {
        end();
    }

    @Override
    public void onLinkDisconnected(final PathLink ended, final boolean deviceRemoval, final long nowNs) {
        end();
    }

    @Override
    public ConnectParameters connectParameters() {
        return new ConnectParameters(new byte[0], 0, 0, 0, RNR_RETRY, 0, 0);
    }
}
