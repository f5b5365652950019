package io.vhca.bond.link;

import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.wire.ChannelMessageDescriptor;
import org.jspecify.annotations.Nullable;

/** What both sides say over one connection that stands by; each may ask, and that may cross. Control lock. */
public final class StandbyTalk {
    private final Links links;
    private final PathLink standing;
    private final ChannelCarrier carrier;
    private @Nullable StandbyLink asking;
    private @Nullable StandbyLink asked;

    StandbyTalk(final Links links, final PathLink standing, final ChannelCarrier carrier) {
        this.links = links;
        this.standing = standing;
        this.carrier = carrier;
    }

    /** Whether this side has asked: it does so once. */
    public boolean hasAsked() {
        return asking != null;
    }

    /** Whether either side has asked: a recovery takes the connection. */
    public boolean isUnderWay() {
        return asking != null || asked != null;
    }

    /** This side asks, with the record of a REQ. */
    public PathLink ask(final PathLink.Owner owner, final byte[] record, final boolean isOlder) {
        assert asking == null : "it is asked once over a connection that stands by";
        final StandbyLink made = links.askOver(owner, standing, carrier, record, isOlder);
        asking = made;
        return made;
    }

    public boolean isAskedBy(final @Nullable PathLink attempt) {
        return attempt != null && attempt == asking;
    }

    /**
     * What the peer says.
     *
     * @param kind   of {@link ChannelMessageDescriptor}
     * @param mayAsk whether what it asks is judged, as a REQ is
     */
    public void onMessage(final int kind, final byte[] data, final boolean mayAsk, final long nowNs) {
        if (kind == ChannelMessageDescriptor.ASK) {
            if (!mayAsk || asked != null) {
                carrier.reject(new byte[0]);
                return;
            }
            final StandbyLink request = links.askedOver(standing, carrier);
            asked = request;
            request.asked(data);
            links.target().onConnectRequest(request, data, ConnectParameters.of(new byte[0]), nowNs);
            return;
        }
        final StandbyLink meant = kind == ChannelMessageDescriptor.CONFIRM ? asked : asking;
        if (meant != null) {
            meant.onMessage(kind, data, nowNs);
        }
    }

    /** Somebody needs the room of the connection that stands by: it is closed, and counted. */
    public void giveUp() {
        links.gaveUp(standing);
    }

    /** The connection does not stand any more: nobody waits for an answer over it. */
    public void lost(final long nowNs) {
        if (asking != null) {
            asking.onStandingLost(nowNs);
        }
        if (asked != null) {
            asked.onStandingLost(nowNs);
        }
    }
}
