package io.vhca.physical.soft.cm;

/** What a connection manager counts. */
public enum CmCounter {
    /** Messages that were no CM messages, or made no sense. */
    MALFORMED,
    /** Messages lost because too many waited. */
    INBOX_FULL,
    /** Requests not taken because their listener has as many to decide as it wants; they come again. */
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
