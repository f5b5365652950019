package io.vhca.harness.rdp;

import io.vhca.harness.sim.core.Violations;
import io.vhca.rdp.RdpDirected;
import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.completion.DirectedReceipt;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The memory that one socket names for others to write to: a piece for each of them, named again a while after its use,
 * and asked back now and then. Between its uses nobody may write there.
 */
final class RdpNamed {
    static final long TAG = 77;

    private static final byte GARBAGE = (byte) 0xdd;
    private static final long LONGEST_PAUSE_NS = 2 * RdpScenario.MS;
    private static final long ASKED_EVERY_NS = 30 * RdpScenario.MS;
    private static final int ASKED_BACK_PERCENT = 30;

    private final RdpDirected socket;
    private final RdpMutation mutation;
    private final Violations violations;
    private final SplittableRandom random;
    private final List<Piece> pieces = new ArrayList<>();
    private final MemorySegment clean;

    /** Memory for one other socket. */
    private static final class Piece {
        private final InetSocketAddress from;
        private final MemorySegment memory;
        private boolean isNamed;
        private long notBeforeNs;

        private Piece(final InetSocketAddress from, final MemorySegment memory) {
            this.from = from;
            this.memory = memory;
        }
    }

    /** Hears of a datagram that is in memory. */
    interface Reader {
        void placed(ByteBuffer datagram, InetSocketAddress from);
    }

    RdpNamed(
            final RdpSocket socket, final RdpMutation mutation, final Violations violations,
            final int pieceBytes, final SplittableRandom random) {
        this.socket = new RdpDirected(socket);
        this.mutation = mutation;
        this.violations = violations;
        this.random = random;
        clean = Arena.ofAuto().allocate(pieceBytes, 64).fill(GARBAGE);
    }

    void add(final InetSocketAddress from) {
        // It lives as long as a device that may write to it.
        final MemorySegment memory = Arena.ofAuto().allocate(clean.byteSize(), 64);
        pieces.add(new Piece(from, memory.copyFrom(clean)));
    }

    /** Takes what came, names what is free, asks something back now and then; how much that was. */
    int doWork(final long nowNs, final Reader reader) {
        int work = 0;
        DirectedReceipt receipt = socket.poll();
        while (receipt != null && violations.isEmpty()) {
            work++;
            onReceipt(receipt, nowNs, reader);
            receipt = socket.poll();
        }
        for (final Piece piece : pieces) {
            if (nowNs - piece.notBeforeNs >= 0) {
                piece.notBeforeNs = nowNs + ASKED_EVERY_NS;
                work += turn(piece);
            }
        }
        return work;
    }

    private int turn(final Piece piece) {
        if (!piece.isNamed) {
            check(piece);
            piece.isNamed = true;
            socket.receive(piece.memory, piece.from, TAG);
            return 1;
        }
        if (random.nextInt(100) >= ASKED_BACK_PERCENT) {
            return 0;
        }
        if (!socket.withdraw(piece.from, TAG)) {
            violations.report("memory that is named can be asked back", piece.from.toString(), "it is not known");
        }
        if (mutation == RdpMutation.TAKEN_BACK_EARLY) {
            piece.memory.fill((byte) 0);
        }
        return 1;
    }

    private void onReceipt(final DirectedReceipt receipt, final long nowNs, final Reader reader) {
        for (final Piece piece : pieces) {
            if (piece.from.equals(receipt.from())) {
                if (!piece.isNamed || receipt.tag() != TAG) {
                    violations.report("memory comes back once", receipt.toString(), "it was not named");
                    return;
                }
                if (!receipt.isWithdrawn()) {
                    reader.placed(piece.memory.asSlice(0, receipt.lengthBytes()).asByteBuffer(), piece.from);
                }
                piece.memory.fill(GARBAGE);
                piece.isNamed = false;
                piece.notBeforeNs = nowNs + random.nextLong(LONGEST_PAUSE_NS);
            }
        }
    }

    private void check(final Piece piece) {
        final long at = piece.memory.mismatch(clean);
        if (at >= 0) {
            violations.report("memory that is not named is not written to", piece.from.toString(), "byte " + at);
        }
    }

    long nextDeadlineNs() {
        long next = Long.MAX_VALUE;
        for (final Piece piece : pieces) {
            next = RdpHost.earlier(next, piece.notBeforeNs);
        }
        return next;
    }
}
