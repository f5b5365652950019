package io.vhca.physical.soft.cm;

import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.ConnectParameters;
import org.jspecify.annotations.Nullable;

/** An event of the soft connection manager; immutable. Acknowledging it frees nothing and waits for nothing. */
record SoftCmEvent(
        CmEventType type,
        CmId id,
        @Nullable CmId listenId,
        int status,
        byte[] privateData,
        ConnectParameters parameters)
        implements CmEvent {
    private static final byte[] NONE = new byte[0];
    private static final ConnectParameters NO_PARAMETERS = new ConnectParameters(NONE, 0, 0, 0, 0, 0, 0);

    static SoftCmEvent of(final CmEventType type, final CmId id, final int status) {
        return new SoftCmEvent(type, id, null, status, NONE, NO_PARAMETERS);
    }

    static SoftCmEvent of(final CmEventType type, final CmId id, final int status, final byte[] privateData) {
        return new SoftCmEvent(type, id, null, status, privateData, NO_PARAMETERS);
    }

    @Override
    public void ack() {
        // Closing an id does not wait for its events here.
    }

    @Override
    public String toString() {
        return type + " on " + id + (status == 0 ? "" : ", status " + status);
    }
}
