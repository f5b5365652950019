package io.vhca.bond.fake;

import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.BondRuntime;
import java.util.concurrent.Semaphore;
import org.agrona.concurrent.SystemNanoClock;

/** The thread that a bond believes to have: what it is asked for is a permit each. Any thread. */
public final class HandDriver implements BondCore.Driver {
    public final Semaphore wakeUps = new Semaphore(0);
    public final Semaphore soon = new Semaphore(0);
    public final Semaphore turns = new Semaphore(0);

    @Override
    public void wakeUp() {
        wakeUps.release();
    }

    @Override
    public void wakeUpSoon() {
        soon.release();
    }

    @Override
    public void takeTurn() {
        turns.release();
    }

    /** The bond has a thread from now on as far as it knows; the test makes its turns. */
    public void drive(final HandBond bond) {
        ((BondRuntime) bond.verbs().core()).drivenBy(this, SystemNanoClock.INSTANCE);
    }
}
