package io.vhca.harness.sim.fault;

/** How somebody who has no part in a scenario attacks one of its bonds. */
public enum Attack {
    /** Requests that are made up, from an address of its own. */
    ASK,
    /** The same and all other messages, with the addresses of true members; what is answered is not heard. */
    SPOOF,
    /** Messages of true members that passed a while ago, sent again, word for word or in other sessions' names. */
    REPLAY
}
