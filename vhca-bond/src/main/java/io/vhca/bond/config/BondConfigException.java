package io.vhca.bond.config;

import java.util.List;

/** A configuration is wrong; the message lists every error, one a line. */
public final class BondConfigException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final transient List<String> errors;

    BondConfigException(final List<String> errors) {
        super(String.join("\n", errors));
        this.errors = List.copyOf(errors);
    }

    /** Each error: where, what, and what is allowed. */
    public List<String> errors() {
        return errors;
    }
}
