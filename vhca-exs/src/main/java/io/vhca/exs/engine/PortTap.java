package io.vhca.exs.engine;

/** What stands between the engine of a socket and its queue pair: nothing, but where a test breaks what is posted. */
@FunctionalInterface
public interface PortTap {
    /** Lets everything through. */
    PortTap NONE = port -> port;

    /** What the engine of one socket posts through. */
    Port tap(Port port);
}
