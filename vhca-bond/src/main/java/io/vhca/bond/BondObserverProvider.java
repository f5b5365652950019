package io.vhca.bond;

import io.vhca.bond.core.BondObserver;

/** Gives every bond of this process that is opened as a device its observers. Found by {@code ServiceLoader}. */
public interface BondObserverProvider {
    /**
     * Adds {@linkplain BondObserver observers} by {@link BondAdmin#observe}, before the bond's thread starts. What
     * cannot be had is logged; the bond runs without it.
     */
    void attach(BondContext bond);
}
