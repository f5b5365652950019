package io.vhca.bond.cm;

import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.ConnectParameters;
import org.jspecify.annotations.Nullable;

/** A CM event of a virtual id. Immutable; acknowledging is a formality, nothing waits for it. */
public record BondCmEvent(
        CmEventType type,
        CmId id,
        @Nullable CmId listenId,
        int status,
        byte[] privateData,
        ConnectParameters parameters)
        implements CmEvent {
    private static final byte[] NONE = new byte[0];

    public static BondCmEvent of(final CmEventType type, final CmId id, final int status) {
        return new BondCmEvent(type, id, null, status, NONE, ConnectParameters.of(NONE));
    }

    /** The peer, or nobody, answered so. */
    public static BondCmEvent of(
            final CmEventType type, final CmId id, final int status, final byte[] privateData) {
        return new BondCmEvent(type, id, null, status, privateData, ConnectParameters.of(NONE));
    }

    public static BondCmEvent of(
            final CmEventType type, final CmId id, final byte[] privateData, final ConnectParameters from) {
        return new BondCmEvent(type, id, null, 0, privateData, from);
    }

    @Override
    public void ack() {
        // Everything the event refers to is garbage collected.
    }
}
