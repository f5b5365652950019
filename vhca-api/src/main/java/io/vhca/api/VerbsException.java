package io.vhca.api;

import org.jspecify.annotations.Nullable;

/**
 * A control call failed: which verb, on which object, with which errno, and what to do about it.
 *
 * <p>The object named is left as it was before the call unless the verb's Javadoc says otherwise.
 */
public class VerbsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String verb;
    private final int errno;
    private final String object;

    /**
     * @param verb   the verb in camelCase, as called: {@code createQp}
     * @param errno  a positive {@link Errno}
     * @param object what it was called on, as the user knows it: {@code bond0 qp 0x8001}
     * @param detail what was wrong and what to do, one sentence
     */
    public VerbsException(final String verb, final int errno, final String object, final String detail) {
        this(verb, errno, object, detail, null);
    }

    public VerbsException(
            final String verb,
            final int errno,
            final String object,
            final String detail,
            final @Nullable Throwable cause) {
        super(verb + " on " + object + " failed (" + Errno.name(errno) + "): " + detail, cause);
        this.verb = verb;
        this.errno = errno;
        this.object = object;
    }

    public String verb() {
        return verb;
    }

    /** Positive {@link Errno}. */
    public int errno() {
        return errno;
    }

    public String object() {
        return object;
    }
}
