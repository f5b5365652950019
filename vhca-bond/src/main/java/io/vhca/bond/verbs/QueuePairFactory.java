package io.vhca.bond.verbs;

import io.vhca.api.QpInitAttributes;
import io.vhca.api.QueuePair;

/** Creates the queue pairs of a bond. Control lock. */
@FunctionalInterface
public interface QueuePairFactory {
    /** @throws io.vhca.api.VerbsException when the bond does not carry such a queue pair, or has no room for it */
    QueuePair create(BondProtectionDomain pd, QpInitAttributes attributes);
}
