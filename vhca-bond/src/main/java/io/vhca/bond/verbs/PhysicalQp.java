package io.vhca.bond.verbs;

import io.vhca.api.QueuePair;
import io.vhca.bond.link.CarriedQp;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.member.Member;
import org.jspecify.annotations.Nullable;

/**
 * A physical queue pair of a vQP, on one member. Control lock.
 *
 * @param receives the physical SRQ that it receives through, or null
 */
record PhysicalQp(BondQueuePair vqp, Member member, QueuePair queuePair, @Nullable PhysicalSrq receives)
        implements CarriedQp {
    @Override
    public boolean sharesReceives() {
        return receives != null;
    }

    @Override
    public void letGo(final PathLink link) {
        vqp.lifecycle().letGo(link);
    }

    @Override
    public void beforeDestroy() {
        vqp.attachCqs(member, -1);
    }

    @Override
    public void afterDestroy() {
        if (receives != null) {
            receives.detach(queuePair.qpNum(), vqp);
        }
    }
}
