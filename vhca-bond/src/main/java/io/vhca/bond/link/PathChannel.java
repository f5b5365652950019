package io.vhca.bond.link;

import static io.vhca.bond.wire.ChannelMessageDescriptor.KIND_OFFSET;
import static io.vhca.bond.wire.ChannelMessageDescriptor.LENGTH_OFFSET;
import static io.vhca.bond.wire.ChannelMessageDescriptor.MAX_SIZE;
import static io.vhca.bond.wire.ChannelMessageDescriptor.MAX_WORD_SIZE;
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
import io.vhca.bond.member.CompletionWakers;
import io.vhca.bond.wire.ChannelMessageDescriptor;
import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.RejectRecord;
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

    /** While fewer messages are under way a word does not wait for others. */
    private static final int EAGER = 4;

    private static final int BATCH = 16;
    /** A bond posts a receive again at once: it never says so much while what it is told finds none. */
    private static final int MOST_UNHEARD = 1_024;
    /** So many completions are taken in a turn, so that others have theirs. */
    private static final int MOST_A_TURN = 256;

    private final BondCore core;
    private final Links links;
    private final CompletionWakers wakers;
    private final Listener listener;
    private final ChannelPlace place;
    /** How often the peer had said what its members are when this began to be made. */
    private final int tellings;
    /** Words that are not sent yet, and their bytes. */
    private final ArrayDeque<byte[]> queued = new ArrayDeque<>();

    private int queuedBytes;
    /** Messages that came while words waited and no slot was free, less those that the peer has taken since. */
    private int unheard;
    private final ArrayDeque<Integer> free = new ArrayDeque<>();
    private @Nullable PathLink link;
    private @Nullable ChannelQp own;
    private boolean established;
    /** Its queue pair takes nothing any more. */
    private boolean isBroken;
    private boolean over;
    private boolean isLeft;
    /** The member had no room for its queue pair, which says nothing of the path. */
    private boolean hasNoRoom;

    private boolean isUnanswered;
    private boolean isPeerDrained;

    /** Who is told what arrives. */
    public interface Listener {
        /**
         * A word of {@link ChannelMessageDescriptor}.
         *
         * @param data the record, as it came
         */
        void onMessage(PathChannel channel, int kind, int qpNum, int number, byte[] data, long nowNs);

        /** It carries from now on. */
        void onEstablished(PathChannel channel);

        /** It is over, or was never made; nothing else is told of it. */
        void onOver(PathChannel channel);
    }

    PathChannel(
            final BondCore core, final Links links, final CompletionWakers wakers, final ChannelPlace place,
            final Listener listener) {
        this.core = core;
        this.links = links;
        this.wakers = wakers;
        this.place = place;
        tellings = place.peer().tellings();
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
        core.counters().add(Counter.STANDBY_MADE, 1);
        return new StandbyTalk(links, standing, new ChannelCarrier(this, peerQpNum, number));
    }

    public boolean isEstablished() {
        return established && !over && !isLeft;
    }

    /** Nothing goes over it any more; it is ended later. */
    void leave() {
        assert core.holdsLock();
        isLeft = true;
    }

    /** Where it goes. */
    ChannelPlace place() {
        return place;
    }

    /** This side is opening it, and the peer has said what its members are since that began. */
    boolean isOutdated() {
        return place.isOwn() && !established && tellings != place.peer().tellings();
    }

    /** This side asked for it, and nobody answered over that path. */
    boolean isUnanswered() {
        return isUnanswered;
    }

    /** The peer refused it, as an operator keeps vQPs off its member. */
    public boolean isPeerDrained() {
        return isPeerDrained;
    }

    /**
     * Says a word: at once while few are under way, else with others in one message, at the end of the turn or as soon
     * as the message is full.
     */
    public void send(final int kind, final int qpNum, final int number, final byte[] record) {
        assert core.holdsLock();
        assert RECORD_OFFSET + record.length <= MAX_WORD_SIZE : "a record of " + record.length + " bytes";
        final byte[] word = new byte[RECORD_OFFSET + record.length];
        final MutableDirectBuffer buffer = new UnsafeBuffer(word);
        buffer.putByte(KIND_OFFSET, (byte) kind);
        buffer.putShort(LENGTH_OFFSET, (short) record.length, ByteOrder.BIG_ENDIAN);
        buffer.putInt(TARGET_OFFSET, qpNum, ByteOrder.BIG_ENDIAN);
        buffer.putInt(NUMBER_OFFSET, number, ByteOrder.BIG_ENDIAN);
        buffer.putBytes(RECORD_OFFSET, record);
        if (queued.isEmpty()) {
            core.wakeUp(); // it may be said outside of a turn
        }
        queued.add(word);
        queuedBytes += word.length;
        if (queuedBytes >= MAX_SIZE || ChannelQp.DEPTH - free.size() < EAGER) {
            flush();
        }
    }

    /** Whether there is something to send, and it can be; or it was found that nothing can. */
    boolean hasUnsent() {
        return isEstablished() && (isBroken || !queued.isEmpty() && !free.isEmpty());
    }

    /** Sends what was said, in as few messages as hold it. Where that fails, the next turn ends it. */
    void flush() {
        assert core.holdsLock();
        final ChannelQp qp = own;
        while (!isBroken && hasUnsent() && qp != null) {
            final int slot = free.remove();
            isBroken = !qp.send(slot, write(qp, slot));
        }
    }

    /** Looks whether the other end is there, where nothing that was sent tells it; it is over where it is not. */
    void probe() {
        assert core.holdsLock();
        final ChannelQp qp = own;
        if (isEstablished() && qp != null && free.size() == ChannelQp.DEPTH && !qp.probe(free.remove())) {
            end();
        }
    }

    /** Writes into a slot as many of the words as fit; their bytes. */
    private int write(final ChannelQp qp, final int slot) {
        int length = 0;
        byte[] next = queued.peek();
        while (next != null && length + next.length <= MAX_SIZE) {
            length = qp.write(slot, length, next);
            queued.remove();
            next = queued.peek();
        }
        queuedBytes -= length;
        return length;
    }

    /** Takes what arrived and what was sent; how much that was. */
    public int poll(final long nowNs) {
        assert core.holdsLock();
        final ChannelQp qp = own;
        if (isBroken) {
            end();
        }
        int work = 0;
        int count = BATCH;
        while (qp != null && !over && count == BATCH && work < MOST_A_TURN) {
            count = pollSome(qp, nowNs);
            work += Math.max(0, count);
        }
        return work;
    }

    private int pollSome(final ChannelQp qp, final long nowNs) {
        final long wcs = core.scratchWcs(BATCH);
        final int count = qp.poll(wcs, BATCH);
        final ArrayDeque<byte[]> arrived = new ArrayDeque<>();
        isBroken |= count < 0;
        for (int i = 0; i < count; i++) {
            final long wc = wcs + (long) i * WcDescriptor.SIZE;
            final int slot = (int) NativeMemory.getLong(wc + WcDescriptor.WR_ID_OFFSET);
            if (NativeMemory.getInt(wc + WcDescriptor.STATUS_OFFSET) != 0) {
                isBroken = true;
            } else if (ChannelQp.isSend(slot)) {
                free.add(slot);
                unheard = Math.max(0, unheard - 1);
            } else {
                arrived.add(qp.take(slot, NativeMemory.getInt(wc + WcDescriptor.BYTE_LEN_OFFSET)));
            }
        }
        for (final byte[] message : arrived) {
            tell(message, nowNs); // which may use the memory of completions
            hearOut();
        }
        if (isBroken) {
            end();
        }
        return count;
    }

    /** Where the peer says on and on, and takes no answer, its words would fill the heap: it loses the channel. */
    private void hearOut() {
        if (queued.isEmpty()) {
            unheard = 0;
        } else if (free.isEmpty() && ++unheard > MOST_UNHEARD && !isBroken) {
            core.counters().add(Counter.CONTROL_GARBAGE, 1);
            isBroken = true;
        }
    }

    /** Tells each word of a message; of what is none nothing behind it is told. */
    private void tell(final byte[] message, final long nowNs) {
        final MutableDirectBuffer buffer = new UnsafeBuffer(message);
        int at = 0;
        do {
            final int left = message.length - at;
            final boolean hasHeader = left >= RECORD_OFFSET;
            final int kind = hasHeader ? buffer.getByte(at + KIND_OFFSET) : 0;
            final int length = hasHeader ? buffer.getShort(at + LENGTH_OFFSET, ByteOrder.BIG_ENDIAN) & 0xFFFF : 0;
            if (!ChannelMessageDescriptor.isWhole(kind, length, left)) {
                core.counters().add(Counter.CONTROL_GARBAGE, 1);
                return;
            }
            final byte[] record = new byte[length];
            buffer.getBytes(at + RECORD_OFFSET, record);
            listener.onMessage(
                    this, kind, buffer.getInt(at + TARGET_OFFSET, ByteOrder.BIG_ENDIAN),
                    buffer.getInt(at + NUMBER_OFFSET, ByteOrder.BIG_ENDIAN), record, nowNs);
            at += RECORD_OFFSET + length;
        } while (at < message.length && !over);
    }

    /** It is not wanted any more. Idempotent. */
    public void end() {
        assert core.holdsLock();
        if (!over) {
            over = true;
            queued.clear();
            queuedBytes = 0;
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
        hasNoRoom = true;
        ready.createQp((id, member) -> made[0] = ChannelQp.create(core, wakers, id, member));
        hasNoRoom = false;
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
        final RejectRecord record = RejectRecord.read(privateData);
        isPeerDrained = record != null && record.code() == RejectCode.DRAINED;
        end();
    }

    @Override
    public void onLinkFailed(final PathLink failed, final long nowNs) {
        isUnanswered = place.isOwn() && !hasNoRoom;
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
