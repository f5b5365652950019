package io.vhca.physical.soft.cm;

/** What a connection manager counts. */
public enum CmCounter {
    /** Messages that were no CM messages, or made no sense. */
    MALFORMED,
    /** Messages lost because too many waited. */
    INBOX_FULL,
    /** Messages and deadlines that the manager failed at: a defect of its own. */
    FAULTS
}
