package io.vhca.physical.soft.cm;

/** What a connection manager counts. */
public enum CmCounter {
    /** Messages that were no CM messages, or made no sense. */
    MALFORMED,
    /** Messages for a connection that there is not, or that is with somebody else. */
    NO_CONNECTION,
    /** Requests that nobody listens for. */
    NO_LISTENER,
    /** Messages that their connection has no use for: late, repeated, or of another state. */
    OUT_OF_PLACE,
    /** Messages lost because too many waited. */
    INBOX_FULL,
    /** Requests not taken because their listener has as many that nobody has taken as it wants; they come again. */
    BACKLOG_FULL,
    /** Requests not taken because too many connections are half open; they come again. */
    HALF_OPEN_FULL,
    /** Half open connections of strangers that gave up their place to another request. */
    HALF_OPEN_DROPPED,
    /** Messages not sent because their receiver never answered and has got one for each that it sent. */
    UNPROVEN_MUTED,
    /** Messages and deadlines that the manager failed at: a defect of its own. */
    FAULTS
}
