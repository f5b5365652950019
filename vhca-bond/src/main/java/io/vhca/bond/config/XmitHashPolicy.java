package io.vhca.bond.config;

/** What {@link BondMode#BALANCE_XOR} hashes. */
public enum XmitHashPolicy {
    /** Both addresses: all queue pairs of one peer share a member. */
    SRC_DST("src-dst"),
    /** Addresses, the peer's port and the own queue pair number: queue pairs of one peer spread over members. */
    SRC_DST_PORT("src-dst-port");

    private final String text;

    XmitHashPolicy(final String text) {
        this.text = text;
    }

    /** The name as written in a configuration. */
    public String text() {
        return text;
    }
}
