package io.vhca.bond.memory;

import java.util.List;

/** Whose native memory has markers, and what is to be done when one is broken. */
public interface MarkedMemory {
    /** Whether all markers stand as they were written. Allocates nothing. */
    boolean isWhole();

    /** Which are broken, in words; empty where all are whole. Control lock: the memory is there. */
    String damage();

    /** Where its parts are, a line each. Control lock. */
    List<String> map();

    /** One is broken: nothing more is to be given to hardware. Any thread. */
    void onOverrun();
}
