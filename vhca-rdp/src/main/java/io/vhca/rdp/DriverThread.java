package io.vhca.rdp;

import io.vhca.rdp.common.Spinning;
import io.vhca.rdp.status.ControlSocket;
import io.vhca.rdp.status.StatusPublisher;
import io.vhca.rdp.verbs.RdpNode;
import java.util.concurrent.locks.LockSupport;

/**
 * The thread of a driver, {@code vhca-rdp-NAME}: does what is due while no thread of the application gives the driver
 * its turns, writes its status file, answers who tells it to change, and sleeps when there is nothing.
 * Owns file and socket, which end with it.
 */
final class DriverThread implements Runnable {
    private static final int IDLE_TURNS = Spinning.turns(200);
    /** While others give the driver its turns a completion is to wake nobody: the thread looks this often. */
    private static final long NAP_NS = Spinning.napNs(200_000);
    /** Events of the connection manager do not wake the thread: it looks for them this often. */
    private static final long MOST_SLEEP_NS = 2_000_000;

    private final RdpDriver driver;
    private final RdpNode node;
    private final StatusPublisher publisher;
    private final ControlSocket control;

    /** Listens to who tells the driver to change: a driver that is open is found, whenever its thread has a turn. */
    DriverThread(final RdpDriver driver, final RdpNode node) {
        this.driver = driver;
        this.node = node;
        publisher = new StatusPublisher(driver::status, System.nanoTime());
        control = new ControlSocket(driver.name(), this::answer, System.nanoTime());
    }

    @Override
    public void run() {
        try (publisher;
                control) {
            turns();
        }
    }

    private void turns() {
        int idle = 0;
        while (!driver.isClosed()) {
            publisher.doWork(System.nanoTime());
            control.doWork(System.nanoTime());
            if (driver.takeHelped()) {
                LockSupport.parkNanos(this, NAP_NS);
                // Who gave turns has looked long enough.
                idle = IDLE_TURNS;
            } else if (driver.ownTurn(System.nanoTime()) > 0) {
                idle = 0;
            } else if (++idle < IDLE_TURNS) {
                Spinning.pause();
            } else {
                node.arm();
                if (driver.ownTurn(System.nanoTime()) == 0) {
                    final long leftNs = driver.nextDeadlineNs() - System.nanoTime();
                    node.wake().getCqEvent(Math.clamp(leftNs, 1, MOST_SLEEP_NS));
                }
            }
        }
    }

    /** What a line from outside asks, done; the answer. */
    private String answer(final String line) {
        try {
            driver.change(line);
            return "changed " + line;
        } catch (final IllegalArgumentException e) {
            return "refused " + e.getMessage();
        }
    }
}
