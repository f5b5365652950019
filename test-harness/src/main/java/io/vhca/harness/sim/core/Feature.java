package io.vhca.harness.sim.core;

/** Something that not every run uses. It is counted, so that a summary shows whether enough runs did. */
public enum Feature {
    ATOMIC_NATIVE("atomics completed, native"),
    ATOMIC_EMULATED("atomics completed, emulated"),
    SHARED_RECEIVE("messages received from an SRQ"),
    KEY_CHANGE("regions registered anew under traffic"),
    SEND_PAUSE("moves to SQD under traffic"),
    WAKE_UP("wake-ups by a completion channel"),
    DATAGRAM("datagrams received"),
    DATAGRAM_LOST("datagrams lost between processes that live"),
    DATAGRAM_MOVE("moves of datagram queue pairs seen"),
    NEXT_LIFE("connections made once more"),
    RESET("queue pairs moved to RESET for that"),
    EXTRA_REQUEST("requests with a bad key, or in a recovery that is disturbed"),
    OWN_MISTAKE("requests with a mistake under traffic"),
    RNR_SETTINGS("physical queue pairs with few RNR retries looked at in the end"),
    EARLY_END("connections ended under traffic"),
    END_IN_RECOVERY("of those, in the middle of a recovery"),
    FORGED("packets that a spoofer made up"),
    REPLAYED("packets that were sent again word for word"),
    MIXED("requests that named a session and another's queue pairs");

    private final String label;

    Feature(final String label) {
        this.label = label;
    }

    /** As the summary names it. */
    public String label() {
        return label;
    }
}
