package io.vhca.bond.fake;

import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.ConnectParameters;
import org.jspecify.annotations.Nullable;

/** An event of a fake device's connection manager. */
public record FakeCmEvent(
        CmEventType type,
        CmId id,
        @Nullable CmId listenId,
        int status,
        byte[] privateData,
        ConnectParameters parameters)
        implements CmEvent {

    static FakeCmEvent of(final CmEventType type, final CmId id, final int status, final byte[] data) {
        return new FakeCmEvent(type, id, null, status, data, ConnectParameters.of(data));
    }

    @Override
    public void ack() {
        // Nothing waits for it.
    }
}
