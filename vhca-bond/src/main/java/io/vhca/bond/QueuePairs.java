package io.vhca.bond;

import io.vhca.api.Errno;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpType;
import io.vhca.api.QueuePair;
import io.vhca.api.VerbsException;
import io.vhca.bond.datagram.BondDatagramQp;
import io.vhca.bond.datagram.Datagrams;
import io.vhca.bond.verbs.BondProtectionDomain;
import io.vhca.bond.verbs.QpCreation;
import io.vhca.bond.verbs.QueuePairFactory;

/**
 * Creates the queue pairs of a bond by their type. Control lock.
 *
 * @param connected those of type RC
 * @param datagrams those of type UD
 */
record QueuePairs(QpCreation connected, Datagrams datagrams) implements QueuePairFactory {
    @Override
    public QueuePair create(final BondProtectionDomain pd, final QpInitAttributes attributes) {
        if (attributes.qpType() == QpType.UD) {
            return BondDatagramQp.create(datagrams, pd, attributes);
        }
        if (attributes.qpType() != QpType.RC) {
            throw new VerbsException(
                    "createQp",
                    Errno.EOPNOTSUPP,
                    pd.scope().core().name(),
                    "queue pairs of type " + attributes.qpType() + " are not carried by a bond; use RC or UD");
        }
        return connected.create(pd, attributes);
    }
}
