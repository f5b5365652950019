package io.vhca.harness.drill.versions;

import io.vhca.api.AccessFlags;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.MemoryRegion;
import io.vhca.api.NativeMemory;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QueuePair;
import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.WcStatus;
import io.vhca.api.WorkCompletion;
import io.vhca.api.WrOpcode;
import io.vhca.api.cm.CmId;
import io.vhca.harness.drill.protocol.DrillLine;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * What passes between this process and one other, over one connection after another: numbered messages both ways. A
 * message that has not completed when a connection ends is sent again over the next one, for nobody knows whether the
 * process that ended has received it.
 *
 * <p>The child's thread.
 */
final class Flow implements AutoCloseable {
    private static final int WINDOW = 8;
    private static final int RECEIVES = 32;
    private static final int SIZE = 16;

    private final int own;
    private final int life;
    private final int peer;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment memory = arena.allocate((long) (WINDOW + RECEIVES) * SIZE, 64);
    private final SendWorkRequest send = SendWorkRequest.allocate(arena, 1);
    private final RecvWorkRequest recv = RecvWorkRequest.allocate(arena, 1);
    private final WorkCompletion wcs = WorkCompletion.allocate(arena, WINDOW + RECEIVES);
    private final ProtectionDomain pd;
    private final CompletionQueue cq;
    private final MemoryRegion region;
    private @Nullable CmId id;
    private @Nullable QueuePair qp;
    private boolean established;
    /** All before it have completed with success. */
    private long completed;
    private long posted;
    private int receives;
    /** The life of the peer that is heard, and what was heard of it. */
    private long heardLife = -1;
    private long firstHeard;
    private long nextHeard;

    Flow(final Context context, final ProtectionDomain pd, final int own, final int life, final int peer) {
        this.pd = pd;
        this.own = own;
        this.life = life;
        this.peer = peer;
        cq = context.createCq(2 * (WINDOW + RECEIVES), null, null);
        region = pd.regMr(memory, AccessFlags.LOCAL_WRITE);
    }

    int peer() {
        return peer;
    }

    @Nullable CmId id() {
        return id;
    }

    boolean isEstablished() {
        return established;
    }

    /** Takes an id to connect by; a connection before it is over. */
    void use(final CmId next) {
        end();
        id = next;
    }

    /** A queue pair for the id, with its receives. */
    void equip() {
        final CmId connects = id;
        if (connects == null) {
            throw new IllegalStateException("there is no id");
        }
        final QueuePair made = connects.createQp(
                pd, QpInitAttributes.rc(cq, cq, new QpCapabilities(WINDOW, RECEIVES, 1, 1, 0)));
        qp = made;
        for (int slot = 0; slot < RECEIVES; slot++) {
            receive(made, slot);
        }
    }

    private void receive(final QueuePair by, final int slot) {
        if (by.postRecv(recv.wrId(WINDOW + slot).sge(at(WINDOW + slot), SIZE, region.lkey())) == 1) {
            receives++;
        }
    }

    private long at(final int slot) {
        return memory.address() + (long) slot * SIZE;
    }

    void established() {
        established = true;
        DrillLine.of("up", "peer", peer).say();
    }

    /** Sends what fits; how many that were. */
    int send() {
        final QueuePair by = qp;
        int count = 0;
        while (by != null && established && posted - completed < WINDOW) {
            final int slot = (int) (posted % WINDOW);
            NativeMemory.putInt(at(slot), own);
            NativeMemory.putInt(at(slot) + Integer.BYTES, life);
            NativeMemory.putLong(at(slot) + Long.BYTES, posted);
            if (by.postSend(send.wrId(slot).opcode(WrOpcode.SEND).sendFlags(SendFlags.SIGNALED)
                    .sge(at(slot), SIZE, region.lkey())) != 1) {
                return count;
            }
            posted++;
            count++;
        }
        return count;
    }

    /** Takes what completed; how much that was. */
    int poll() {
        final int count = cq.poll(wcs.address(), wcs.capacity());
        for (int i = 0; i < count; i++) {
            final WorkCompletion wc = wcs.at(i);
            final boolean isGood = wc.status() == WcStatus.SUCCESS.code();
            if (!isGood && wc.status() != WcStatus.WR_FLUSH_ERR.code()) {
                DrillLine.of("error", "peer", peer, "status", wc.statusName()).say();
            }
            if (wc.wrId() < WINDOW) {
                if (isGood && wc.wrId() != completed % WINDOW) {
                    DrillLine.of("fault", "what", "send " + completed + " completed out of order").say();
                }
                completed += isGood ? 1 : 0;
            } else {
                receives--;
                if (isGood) {
                    heard((int) wc.wrId());
                }
            }
        }
        return count;
    }

    private void heard(final int slot) {
        final int sender = NativeMemory.getInt(at(slot));
        final int itsLife = NativeMemory.getInt(at(slot) + Integer.BYTES);
        final long number = NativeMemory.getLong(at(slot) + Long.BYTES);
        if (sender != peer || itsLife < heardLife) {
            DrillLine.of("fault", "what", "a message of " + sender + ", life " + itsLife).say();
        } else if (itsLife != heardLife) {
            sayHeard();
            heardLife = itsLife;
            firstHeard = number;
        } else if (number != nextHeard) {
            DrillLine.of("fault", "what", "message " + number + " of " + sender + ", not " + nextHeard).say();
        }
        nextHeard = number + 1;
        final QueuePair by = qp;
        if (by != null) {
            receive(by, slot - WINDOW);
        }
    }

    /** What was received of one life of the peer. */
    void sayHeard() {
        if (heardLife >= 0) {
            DrillLine.of("heard", "peer", peer, "life", heardLife, "first", firstHeard, "end", nextHeard).say();
        }
    }

    /** What is known to be received. */
    void sayCompleted() {
        DrillLine.of("sent", "peer", peer, "completed", completed).say();
    }

    boolean isQuiet() {
        return posted == completed;
    }

    /** Everything that was posted is back: what was received has been counted. */
    boolean isEmpty() {
        return receives == 0;
    }

    /** The connection is over; what is unfinished goes over the next one. */
    void end() {
        final CmId over = id;
        if (over == null) {
            return;
        }
        poll();
        final boolean stood = established;
        established = false;
        id = null;
        qp = null;
        over.close();
        poll();
        posted = completed;
        receives = 0;
        if (stood) {
            DrillLine.of("over", "peer", peer).say();
        }
    }

    @Override
    public void close() {
        end();
        region.close();
        cq.close();
        arena.close();
    }
}
