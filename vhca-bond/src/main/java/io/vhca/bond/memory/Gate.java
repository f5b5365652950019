package io.vhca.bond.memory;

import java.util.function.BooleanSupplier;

/** Lets one thread at a time in; whoever is inside may read and write what it guards. Any thread. */
public interface Gate {
    /**
     * Enters, unless it gets too late while somebody else is inside: false, and nothing has changed.
     *
     * @param isLate asked again and again; must enter nothing
     */
    boolean enterUnless(BooleanSupplier isLate);

    void leave();
}
