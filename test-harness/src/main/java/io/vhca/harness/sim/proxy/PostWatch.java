package io.vhca.harness.sim.proxy;

import io.vhca.api.Context;
import io.vhca.api.NativeMemory;
import io.vhca.api.QueuePair;
import io.vhca.api.SendWrDescriptor;
import io.vhca.api.WrOpcode;
import io.vhca.bond.config.LedgerMode;
import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.core.Violations;
import io.vhca.recovery.Journal;
import io.vhca.recovery.JournalEvent;
import io.vhca.recovery.JournalKind;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Watches what one bond gives to its members' queue pairs: a WRITE or an atomic that is known committed is never given
 * again, nor is an atomic that is in doubt, nor, with {@code write_replay = fail}, a WRITE that is. No more are in
 * doubt than its {@code ledger} allows. What the peer said is in the bond's journal; what follows from that is
 * concluded here anew.
 *
 * <p>The bond's {@code wr_id}: kind in bits 63..60, incarnation 59..44, vQP index 43..24, sequence 23..0.
 */
public final class PostWatch implements Journal {
    private static final String NAME = "what is known committed is executed once";
    private static final int KIND_SEND = 1;
    private static final int KIND_MARK = 6;
    private static final int INDEX_MASK = (1 << 14) - 1;
    private static final String LEDGER = "ledger ";

    private final Journal next;
    private final int mostInDoubt;
    private final boolean mayReplay;
    private final Side side;
    private final Violations violations;
    private final Map<Integer, PostTrack> tracks = new HashMap<>();

    /**
     * @param ledger    how often the bond promises marks
     * @param mayReplay a WRITE in doubt may be given again
     * @param next      gets the bond's journal from this one
     */
    public PostWatch(
            final Side side, final LedgerMode ledger, final boolean mayReplay, final Violations violations,
            final Journal next) {
        this.side = side;
        mostInDoubt = switch (ledger) {
            case OFF -> Integer.MAX_VALUE;
            case BATCH -> 8;
            case EACH -> 1;
        };
        this.mayReplay = mayReplay;
        this.violations = violations;
        this.next = next;
    }

    /** A vQP begins another life: what is given to hardware again is new. */
    public void forget(final int qpNum) {
        tracks.remove(qpNum & INDEX_MASK);
    }

    /** A member as the bond sees it. */
    public Context watch(final Context device) {
        return new MemberProxy(device) {
            @Override
            protected Object onQpCall(final QueuePair real, final Method method, final Object[] arguments)
                    throws Throwable {
                if (!method.getName().equals("postSend") || !(arguments[0] instanceof Long first)) {
                    return call(real, method, arguments);
                }
                final List<Posted> chain = read(first);
                final Object taken = call(real, method, arguments);
                chain.stream().limit(Math.max(0, (int) taken)).forEach(PostWatch.this::onGiven);
                return taken;
            }
        }.context();
    }

    /**
     * A request of a chain.
     *
     * @param opcode -1 for a placeholder, which names no memory
     */
    private record Posted(long wrId, int opcode) {}

    private static List<Posted> read(final long first) {
        final List<Posted> chain = new ArrayList<>();
        for (long wr = first; wr != 0; wr = NativeMemory.getLong(wr + SendWrDescriptor.NEXT_OFFSET)) {
            final int opcode = NativeMemory.getInt(wr + SendWrDescriptor.OPCODE_OFFSET);
            final boolean isEmpty = opcode == WrOpcode.RDMA_WRITE.code()
                    && NativeMemory.getLong(wr + SendWrDescriptor.RDMA_REMOTE_ADDR_OFFSET) == 0;
            chain.add(new Posted(
                    NativeMemory.getLong(wr + SendWrDescriptor.WR_ID_OFFSET), isEmpty ? -1 : opcode));
        }
        return chain;
    }

    private void onGiven(final Posted request) {
        final long wrId = request.wrId();
        final int kind = (int) (wrId >>> 60);
        final int index = (int) (wrId >>> 24) & INDEX_MASK;
        final int sequence = (int) (wrId & 0xFF_FFFF);
        if (kind == KIND_MARK) {
            track(index).onMark(sequence);
        } else if (kind == KIND_SEND) {
            report(index, track(index).onRequest(sequence, request.opcode(), mayReplay));
        }
    }

    private PostTrack track(final int index) {
        return tracks.computeIfAbsent(index, unused -> new PostTrack(mostInDoubt));
    }

    private void report(final int index, final String wrong) {
        if (!wrong.isEmpty()) {
            violations.report(NAME, side.label() + " vQP " + index, wrong);
        }
    }

    @Override
    public void append(final JournalEvent event) {
        next.append(event);
        final int index = event.vQpNum() & INDEX_MASK;
        if (event.kind() == JournalKind.NEGOTIATED && event.note().startsWith(LEDGER)) {
            final long ledger = Long.parseLong(event.note().substring(LEDGER.length()));
            report(index, track(index).onNegotiated(event.peerReceived(), ledger));
        } else if (event.kind() == JournalKind.FAILURE) {
            final boolean isWrite = event.note().startsWith("WRITE_IN_DOUBT");
            final PostTrack track = tracks.get(index);
            if ((isWrite || event.note().startsWith("ATOMIC_IN_DOUBT"))
                    && (isWrite && mayReplay || track == null || !track.isInDoubt())) {
                report(index, "failed for what is in doubt, and nothing is");
            }
        }
    }
}
