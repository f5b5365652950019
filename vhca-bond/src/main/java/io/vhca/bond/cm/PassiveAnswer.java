package io.vhca.bond.cm;

import io.vhca.api.cm.ConnectParameters;
import io.vhca.recovery.wire.RejectCode;

/** How a request that came to a listener is answered, once the application has decided. Control lock. */
interface PassiveAnswer {
    /** The application has accepted. It may have destroyed the queue pair since, or the id with it. */
    void accept(ConnectParameters given, long nowNs);

    /** It has not, or the bond does in its place. */
    void reject(RejectCode code, byte[] data);
}
