package io.vhca.rdp;

import io.vhca.rdp.engine.RdpEngine;
import io.vhca.rdp.verbs.RdpNode;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Who gives a driver its turns, one thread at a time: threads of the application that send, receive or poll; the one of
 * them that waits at the {@link CompletionSeat}; and the driver's own thread while none of them is there. Any thread.
 */
final class DriverTurns {
    /** Events of the connection manager wake nobody who sleeps on completions: he looks for them this often. */
    private static final long MOST_SLEEP_NS = 2_000_000;

    private final DriverGate gate;
    private final RdpNode node;
    private final RdpEngine engine;
    private final CompletionSeat seat;
    /** Whether a thread of the application gives turns; a racy hint. */
    private final AtomicBoolean isHelped = new AtomicBoolean();

    private volatile boolean isClosed;
    /** The driver's own, where it has one. */
    private volatile @Nullable Thread own;

    DriverTurns(final RdpNode node) {
        this(node, new DriverGate());
    }

    DriverTurns(final RdpNode node, final DriverGate gate) {
        this.node = node;
        this.gate = gate;
        engine = node.engine();
        seat = new CompletionSeat(node.wake());
    }

    void own(final Thread thread) {
        own = thread;
    }

    /** Does something with the engine while no other thread does; it must not wait, nor keep what it is given. */
    <T> T inside(final Function<RdpEngine, T> what) {
        gate.enter();
        try {
            return what.apply(engine);
        } finally {
            gate.leave();
        }
    }

    void enter() {
        gate.enter();
    }

    void leave() {
        gate.leave();
    }

    /** Inside: no turn is given any more. */
    void close() {
        isClosed = true;
        seat.passOn();
    }

    boolean isClosed() {
        return isClosed;
    }

    /** A thread of the application lets the driver work if nobody else does; how much that was. */
    int help(final long nowNs) {
        isHelped.setOpaque(true);
        return turn(nowNs);
    }

    /** By the driver's own thread. */
    int turn(final long nowNs) {
        if (!gate.tryEnter()) {
            return 0;
        }
        try {
            // Who closes it does so inside: looked at before, it may be closed by now.
            return isClosed ? 0 : node.doWork(nowNs);
        } finally {
            gate.leave();
        }
    }

    /** Whether a thread of the application gave a turn since this was asked last, and did not stop with it. */
    boolean takeHelped() {
        final boolean was = isHelped.getOpaque();
        isHelped.setOpaque(false);
        return was;
    }

    /** A thread of the application waits for now: the driver's own goes on. */
    void waits() {
        isHelped.setOpaque(false);
        LockSupport.unpark(own);
    }

    /** A thread of the application that waits sleeps on the completions itself, or may begin to at any time. */
    boolean isSeated() {
        return seat.isTaken();
    }

    /** True where the calling thread has got the seat just now: it is woken there, and looks once more. */
    boolean takeSeat() {
        return own != null && seat.take();
    }

    /** A thread that has said that it waits, and has looked since, sleeps that long at most. */
    void sleep(final long mostNs) {
        if (seat.isMine()) {
            sleepOnCompletions(mostNs);
        } else {
            if (!seat.isTaken()) {
                waits();
            }
            seat.park(mostNs);
        }
    }

    /** There is something for a thread that waits. */
    void wake(final Thread waiter) {
        seat.wake(waiter);
    }

    /** A call that may have slept is over. */
    void awake() {
        if (seat.leave()) {
            waits();
        }
    }

    /** The driver's own thread sleeps. */
    void sleep() {
        sleepOnCompletions(MOST_SLEEP_NS);
        // It may have been woken in place of a thread that has sat down since.
        seat.passOn();
    }

    /** Until something comes or is due; not past the driver's end. */
    private void sleepOnCompletions(final long mostNs) {
        final long leftNs;
        gate.enter();
        try {
            if (isClosed) {
                return;
            }
            node.arm();
            final long nowNs = System.nanoTime();
            if (node.doWork(nowNs) > 0) {
                return;
            }
            leftNs = Math.clamp(engine.nextDeadlineNs() - nowNs, 1, Math.min(mostNs, MOST_SLEEP_NS));
        } finally {
            gate.leave();
        }
        node.wake().getCqEvent(leftNs);
    }
}
