package io.vhca.bond.verbs;

import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpType;
import io.vhca.api.QueuePair;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmId;
import io.vhca.bond.link.CarriedQp;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.member.Member;
import org.jspecify.annotations.Nullable;

/**
 * A physical queue pair of a connected vQP, on one member. Control lock.
 *
 * @param receives the physical SRQ that it receives through, or null
 */
record PhysicalQp(BondQueuePair vqp, Member member, QueuePair queuePair, @Nullable PhysicalSrq receives)
        implements CarriedQp {
    /**
     * Creates one, with room for the bond's own requests besides the application's.
     *
     * @throws VerbsException as the member says; nothing is left of it then
     */
    static PhysicalQp create(
            final BondQueuePair vqp, final QpCapabilities room, final CmId id, final Member member) {
        final BondSharedReceiveQueue srq = vqp.bondSrq();
        final PhysicalSrq receives = srq == null ? null : srq.attach(member, vqp);
        final QueuePair created;
        try {
            vqp.settings().prepare(id);
            created = id.createQp(vqp.domain().on(member), new QpInitAttributes(
                    vqp.bondSendCq().on(member),
                    vqp.bondRecvCq().on(member),
                    receives == null ? null : receives.queue(),
                    room,
                    QpType.RC,
                    false));
        } catch (final RuntimeException | Error e) {
            if (receives != null) {
                receives.detach(0, vqp);
            }
            throw e;
        }
        return new PhysicalQp(vqp, member, created, receives);
    }

    @Override
    public boolean sharesReceives() {
        return receives != null;
    }

    @Override
    public void letGo(final PathLink link) {
        vqp.lifecycle().attachment().letGo(link);
    }

    @Override
    public void beginUse() {
        vqp.attachCqs(member, 1);
        if (receives != null) {
            receives.add(queuePair.qpNum(), vqp);
        }
    }

    @Override
    public void endUse() {
        vqp.attachCqs(member, -1);
    }

    @Override
    public void afterDestroy() {
        if (receives != null) {
            receives.detach(queuePair.qpNum(), vqp);
        }
    }
}
