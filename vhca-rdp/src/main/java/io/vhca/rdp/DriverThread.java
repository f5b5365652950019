package io.vhca.rdp;

import io.vhca.api.VerbsException;
import io.vhca.rdp.common.FailedTurns;
import io.vhca.rdp.common.Spinning;
import io.vhca.rdp.status.ControlSocket;
import io.vhca.rdp.status.StatusPublisher;
import java.lang.System.Logger;
import java.util.concurrent.locks.LockSupport;

/**
 * The thread of a driver, {@code vhca-rdp-NAME}: does what is due while no thread of the application gives the driver
 * its turns, writes its status file, answers who tells it to change, and sleeps when there is nothing.
 * Owns file and socket, which end with it.
 */
final class DriverThread implements Runnable, AutoCloseable {
    private static final Logger LOGGER = System.getLogger(DriverThread.class.getName());
    private static final int IDLE_TURNS = Spinning.turns(200);
    /** While others give the driver its turns a completion is to wake nobody: the thread looks first after this. */
    private static final long HELPED_NAP_NS = Spinning.napNs(200_000);
    /** While one of them sleeps on the completions itself. */
    private static final long SEATED_NAP_NS = Spinning.napNs(500_000);
    private static final long FAILED_NAP_NS = 100_000_000;
    private final RdpDriver driver;
    private final DriverTurns turns;
    private final StatusPublisher publisher;
    private final ControlSocket control;
    private final HelpedNaps naps = new HelpedNaps(HELPED_NAP_NS);
    private final FailedTurns failures;

    /** Listens to who tells the driver to change: a driver that is open is found, whenever its thread has a turn. */
    DriverThread(final RdpDriver driver) {
        this.driver = driver;
        turns = driver.turns();
        failures = new FailedTurns(LOGGER, "the driver of " + driver.name());
        publisher = new StatusPublisher(driver::status, System.nanoTime());
        control = new ControlSocket(driver.name(), this::answer, System.nanoTime());
    }

    @Override
    public void run() {
        try (this) {
            work();
        }
    }

    /** Gives file and socket back; for who could not start it too. */
    @Override
    public void close() {
        control.close();
        publisher.close();
    }

    private void work() {
        int idle = 0;
        while (!turns.isClosed()) {
            try {
                idle = turn(idle);
            } catch (final RuntimeException | VirtualMachineError e) {
                // What the device refuses now it may grant later, and the host may have room again: all other nodes
                // depend on this thread.
                failures.warn(e);
                LockSupport.parkNanos(this, FAILED_NAP_NS);
            }
        }
    }

    /** @return turns without work, so many before */
    private int turn(final int idle) {
        publisher.doWork(System.nanoTime());
        control.doWork(System.nanoTime());
        final boolean isSeated = turns.isSeated();
        if (turns.takeHelped() || isSeated) {
            LockSupport.parkNanos(this, isSeated ? SEATED_NAP_NS : naps.nextNs());
            // Who gave turns has looked long enough.
            return IDLE_TURNS;
        }
        naps.end();
        if (turns.turn(System.nanoTime()) > 0) {
            return 0;
        }
        if (idle + 1 < IDLE_TURNS) {
            Thread.onSpinWait();
        } else {
            turns.sleep();
        }
        return Math.min(idle + 1, IDLE_TURNS);
    }

    /** What a line from outside asks, done; the answer. */
    private String answer(final String line) {
        try {
            driver.change(line);
            return "changed " + line;
        } catch (final IllegalArgumentException | VerbsException e) {
            return "refused " + e.getMessage();
        }
    }
}
