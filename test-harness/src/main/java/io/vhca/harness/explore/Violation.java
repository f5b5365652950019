package io.vhca.harness.explore;

/** The contract does not hold; the message says in what. */
final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1;

    Violation(final String what) {
        super(what);
    }

    static void unless(final boolean holds, final String what) {
        if (!holds) {
            throw new Violation(what);
        }
    }
}
