package io.vhca.harness.conformance;

import io.vhca.api.Context;
import java.net.InetAddress;
import java.util.EnumSet;
import java.util.Set;

/** Two devices that reach each other, opened for one test each time. */
interface DevicePair {
    /** What a device may do otherwise than hardware does; the tests of it are skipped then. */
    enum Trait {
        /** A lost path ends in RETRY_EXC_ERR within the retry budget. */
        PATH_ERRORS_SURFACE,
        /** A QP can be brought up by modify alone, numbers exchanged by the application. */
        OUT_OF_BAND,
        /** A connect to an address where nobody lives ends within seconds. */
        UNREACHABLE_SOON,
        /** Shared receive queues are carried. */
        SHARED_RECEIVES,
        /** A local protection or length error has its own status; rxe says LOC_QP_OP_ERR for any. */
        EXACT_LOCAL_STATUS,
        /** A responder's error raises an asynchronous event; rxe raises none. */
        RESPONDER_EVENTS,
        /** SQ_DRAINED is raised for a send queue that was empty, too; Linux's rxe waits for a completion. */
        DRAIN_TOLD_WHEN_EMPTY,
        /** A request withdrawn before it was accepted is told; Linux tells nothing of an id before its accept. */
        WITHDRAWAL_TOLD
    }

    Context openClient();

    Context openServer();

    /** An address that the client's device can send to and where nobody answers. */
    InetAddress nobody();

    default Set<Trait> traits() {
        return EnumSet.allOf(Trait.class);
    }
}
