package io.vhca.bond.link;

import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.member.Member;
import io.vhca.bond.wire.ChannelMessageDescriptor;
import java.util.function.BiFunction;

/**
 * A connection of a vQP made over another one that stands already and is idle: it begins CONNECTING or REQUESTED, what
 * both ends say goes by a {@link LinkCarrier} and not by the CM, and with {@link #createQp} it takes the other's id and
 * queue pair, which is connected. Several may be over the same one; the first takes it. Control lock.
 */
public final class StandbyLink extends PathLink {
    private final BondCore core;
    private final Links links;
    private final PathLink standing;
    private final LinkCarrier carrier;
    /** It has taken what it was over. */
    private boolean hasTaken;

    /** @param asks the private data of what would be the REQ; empty on the passive side */
    StandbyLink(
            final BondCore core, final Links links, final Owner owner, final PathLink standing,
            final LinkCarrier carrier, final byte[] asks) {
        super(core, links, owner, standing, asks);
        this.core = core;
        this.links = links;
        this.standing = standing;
        this.carrier = carrier;
        links.addGuest(this);
    }

    /** Says what would be the REQ. */
    StandbyLink ask(final byte[] request) {
        links.watch(this);
        carrier.ask(request);
        return this;
    }

    /** What the other end says of it, by the kind of {@link ChannelMessageDescriptor}. */
    public void onMessage(final int kind, final byte[] data, final long nowNs) {
        assert core.holdsLock();
        final boolean isAnswer = kind != ChannelMessageDescriptor.CONFIRM;
        if (state() != (isAnswer ? State.CONNECTING : State.ACCEPTING)) {
            return;
        }
        try {
            if (kind == ChannelMessageDescriptor.REJECT) {
                rejected(data, nowNs);
            } else {
                established(data, ConnectParameters.of(new byte[0]), nowNs);
            }
        } catch (final VerbsException e) {
            core.counters().ignored(e);
            fail(nowNs);
        }
    }

    /** That the one under it stands may be said late; that the other end has taken it is that end's own word. */
    @Override
    public void onEvent(final CmEvent event, final long nowNs) {
        if (event.type() != CmEventType.ESTABLISHED) {
            super.onEvent(event, nowNs);
        }
    }

    /** The connection under it has ended before this one took it. */
    public void onStandingLost(final long nowNs) {
        assert core.holdsLock();
        if (isPending() && isGuest()) {
            fail(nowNs);
        }
    }

    @Override
    boolean isGuest() {
        return !hasTaken;
    }

    @Override
    CarriedQp take(final BiFunction<CmId, Member, CarriedQp> maker) {
        final CarriedQp taken = standing.handOver(this);
        hasTaken = true;
        return taken;
    }

    @Override
    void sendAnswer(final byte[] data) {
        links.watch(this);
        carrier.accept(data);
    }

    @Override
    void sendRefusal(final byte[] data) {
        carrier.reject(data);
    }

    /** The queue pair receives before the other end may send to it. */
    @Override
    void beforeEstablished() {
        core.counters().add(Counter.STANDBY_TAKEN, 1);
        if (isActive()) {
            owner().onLinkReady(this);
            carrier.confirm();
        }
    }
}
