package io.vhca.bond.config;

import org.jspecify.annotations.Nullable;

/** How a bond places its virtual queue pairs on members; names as in Linux bonding. None stripes a queue pair. */
public enum BondMode {
    /** One member carries everything, the others stand by. */
    ACTIVE_BACKUP("active-backup"),
    /** New queue pairs in turn over the members that are up. */
    BALANCE_RR("balance-rr"),
    /** By a hash of who is connected to whom, over the members that are up. */
    BALANCE_XOR("balance-xor"),
    /** Where the least is sent for the speed of the link; live queue pairs move when that changes for long. */
    BALANCE_TLB("balance-tlb");

    private final String text;

    BondMode(final String text) {
        this.text = text;
    }

    /** The name as written in a configuration. */
    public String text() {
        return text;
    }

    /** The mode of a name, or null where there is none. */
    static @Nullable BondMode of(final String text) {
        for (final BondMode mode : values()) {
            if (mode.text.equals(text)) {
                return mode;
            }
        }
        return null;
    }
}
