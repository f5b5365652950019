package io.vhca.ras.error;

/** An error as the error log keeps it: what was thrown, with its code before it and its own stack. */
public final class CodedError extends Exception {
    private static final long serialVersionUID = 1L;

    /** Something was thrown where the bond goes on. */
    public CodedError(final ErrorCode code, final Throwable thrown) {
        super(code.text() + " " + thrown, thrown.getCause());
        setStackTrace(thrown.getStackTrace());
    }

    /** Something failed that nobody threw. */
    public CodedError(final ErrorCode code, final String what) {
        super(code.text() + " " + what);
        setStackTrace(new StackTraceElement[0]);
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }

    @Override
    public String toString() {
        return String.valueOf(getMessage());
    }
}
