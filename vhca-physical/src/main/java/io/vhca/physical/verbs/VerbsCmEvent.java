package io.vhca.physical.verbs;

import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.ConnectParameters;
import org.jspecify.annotations.Nullable;

/** An event of the connection manager, copied; the library's own was acknowledged when it was read. */
record VerbsCmEvent(
        CmEventType type,
        CmId id,
        @Nullable CmId listenId,
        int status,
        byte[] privateData,
        ConnectParameters parameters)
        implements CmEvent {
    /** Nothing hangs on it. */
    @Override
    public void ack() {}

    @Override
    public String toString() {
        return type + " status " + status + " of " + id;
    }
}
