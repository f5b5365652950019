package io.vhca.bond.config;

/**
 * How a bond places its virtual queue pairs on members; names and numbers as in Linux bonding, of whose modes
 * {@link RefusedMode} has the others. None stripes a queue pair.
 */
public enum BondMode {
    /** One member carries everything, the others stand by. */
    ACTIVE_BACKUP("active-backup", 1),
    /** New queue pairs in turn over the members that are up. */
    BALANCE_RR("balance-rr", 0),
    /** By a hash of who is connected to whom, over the members that are up. */
    BALANCE_XOR("balance-xor", 2),
    /** Where the least is sent for the speed of the link; live queue pairs move when that changes for long. */
    BALANCE_TLB("balance-tlb", 5);

    private final String text;
    private final int linuxNumber;

    BondMode(final String text, final int linuxNumber) {
        this.text = text;
        this.linuxNumber = linuxNumber;
    }

    /** The name as written in a configuration. */
    public String text() {
        return text;
    }

    /** The number that Linux bonding gives the mode. */
    public int linuxNumber() {
        return linuxNumber;
    }
}
