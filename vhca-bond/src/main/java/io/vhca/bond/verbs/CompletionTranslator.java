package io.vhca.bond.verbs;

/** Knows what a completion means that belongs to no connected vQP. Inside a CQ's gate. */
@FunctionalInterface
public interface CompletionTranslator {
    /**
     * Turns a physical completion into a virtual one, in place.
     *
     * @return false when the application must not see it
     */
    boolean translate(long wc, long wrId);
}
