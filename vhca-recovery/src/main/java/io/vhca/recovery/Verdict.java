package io.vhca.recovery;

/** What a completion status means for its vQP. */
public enum Verdict {
    /** No failure: report it. */
    SUCCESS,
    /** The path failed: hide the completion and recover. */
    FAIL_OVER,
    /** The application's own error: report it unchanged, the vQP goes to error. */
    PASS_THROUGH,
    /** A flush: hide it; something else is the cause. */
    NEVER_A_CAUSE,
    /** Nobody can tell: the vQP fails with {@link BondError#UNKNOWN_STATUS}. */
    UNKNOWN
}
