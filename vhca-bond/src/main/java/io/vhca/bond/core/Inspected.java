package io.vhca.bond.core;

/**
 * A queue of a bond that says what it holds, besides queue pairs, as seen in passing: nobody who posts or polls is kept
 * for it. Control lock.
 */
public interface Inspected {
    /** What it is called, {@code cq:0x3}. */
    String inspectedName();

    /** Says what it holds; once it is closed nothing. */
    void inspect(Inspection to);
}
