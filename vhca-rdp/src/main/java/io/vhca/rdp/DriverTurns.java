package io.vhca.rdp;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.rdp.engine.RdpEngine;
import io.vhca.rdp.verbs.RdpNode;
import java.lang.System.Logger;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Who gives a driver its turns, one thread at a time: threads of the application that send, receive or poll; the one of
 * them that waits at the {@link CompletionSeat}; and the driver's own thread while none of them is there. Any thread.
 */
final class DriverTurns {
    private static final Logger LOGGER = System.getLogger(DriverTurns.class.getName());
    /** Who sleeps on completions looks this often for what other threads have left to do. */
    private static final long MOST_SLEEP_NS = 2_000_000;
    /** A device that has refused so many sleeps in a row, two seconds of them at least, is gone. */
    private static final int MOST_REFUSALS = 1_000;
    /** Where nothing has happened for a while, and who comes first wakes the driver's own thread. */
    private static final long DOZE_NS = 100_000_000;
    /** Sleeps of the driver's own thread in which nothing happened, one after the other, before it dozes. */
    private static final int QUIET_SLEEPS = 5;

    private final DriverGate gate;
    private final RdpNode node;
    private final RdpEngine engine;
    private final CompletionSeat seat;
    /** Whether a thread of the application gives turns; a racy hint. */
    private final AtomicBoolean isHelped = new AtomicBoolean();

    /** The driver's own thread alone. */
    private int quietSleeps;
    /** Of who has the seat: sleeps that were refused, one after the other. */
    private int refusals;
    /** The driver's own thread is about to doze, or does; set before it looks for the last time. */
    private volatile boolean isDozing;
    /** The connection manager wakes who sleeps on completions; written inside. */
    private volatile boolean isTold;

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
            leave();
        }
    }

    void enter() {
        gate.enter();
    }

    /** What was done inside may leave something to do to the driver's own thread. */
    void leave() {
        gate.leave();
        if (isDozing) {
            isDozing = false;
            node.wake().wakeUp();
        }
    }

    /** Inside: no turn is given any more. */
    void close() {
        isClosed = true;
        seat.passOn();
    }

    boolean isClosed() {
        return isClosed;
    }

    void checkOpen(final String verb, final String name) {
        if (isClosed) {
            throw new VerbsException(verb, Errno.EINVAL, name, "the driver is closed");
        }
    }

    /** A thread of the application lets the driver work if nobody else does; how much that was. */
    int help(final long nowNs) {
        isHelped.setOpaque(true);
        return turn(nowNs);
    }

    /** The driver's own thread dozes until who comes first wakes it. */
    boolean isDozing() {
        return isDozing;
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
            leave();
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
            sleepSeated(Math.min(mostNs, MOST_SLEEP_NS));
        } else {
            if (!seat.isTaken()) {
                waits();
            }
            seat.park(mostNs);
        }
    }

    /**
     * What the device refuses now it may grant later, so that no call ends by it; one that has refused {@link
     * #MOST_REFUSALS} in a row is gone, and who waits is told.
     */
    private void sleepSeated(final long mostNs) {
        try {
            sleepOnCompletions(mostNs);
            refusals = 0;
        } catch (final VerbsException e) {
            LOGGER.log(Logger.Level.DEBUG, "a thread that waits: " + e.getMessage());
            if (++refusals >= MOST_REFUSALS) {
                throw e;
            }
            LockSupport.parkNanos(this, mostNs);
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
        final boolean mayDoze = isTold && quietSleeps == QUIET_SLEEPS;
        isDozing = mayDoze;
        final boolean isQuiet = sleepOnCompletions(mayDoze ? DOZE_NS : MOST_SLEEP_NS);
        final boolean isDisturbed = mayDoze && !isDozing;
        isDozing = false;
        quietSleeps = isQuiet && !isDisturbed ? Math.min(quietSleeps + 1, QUIET_SLEEPS) : 0;
        // It may have been woken in place of a thread that has sat down since.
        seat.passOn();
    }

    /** Until something comes or is due; not past the driver's end. True where nothing did. */
    private boolean sleepOnCompletions(final long mostNs) {
        final long leftNs;
        gate.enter();
        try {
            if (isClosed) {
                return false;
            }
            isTold = node.arm();
            final long nowNs = System.nanoTime();
            if (node.doWork(nowNs) > 0) {
                return false;
            }
            leftNs = Math.clamp(engine.nextDeadlineNs() - nowNs, 1, mostNs);
        } finally {
            gate.leave();
        }
        return node.wake().getCqEvent(leftNs) == null;
    }
}
