package io.vhca.recovery;

/** What a completion status means for its vQP. */
public enum FailureClass {
    /** No failure: report it. */
    SUCCESS,
    /** The path failed: hide the completion and recover. */
    FAIL_OVER,
    /** The application's own error: report it unchanged, the vQP goes to error. */
    PASS_THROUGH,
    /** A flush: hide it; something else is the cause. */
    NEVER_A_CAUSE,
    /**
     * Nobody can tell: a device may report the end of its link so before the port's own event arrives. Recover, as long
     * as the same request has not failed like that a few times; then it is the application's own.
     */
    DOUBTFUL
}
