package io.vhca.bond;

/** How a bond places its virtual queue pairs on members; names as in Linux bonding. */
public enum BondMode {
    /** One member carries everything, the others stand by. */
    ACTIVE_BACKUP("active-backup");

    private final String text;

    BondMode(final String text) {
        this.text = text;
    }

    /** The name as written in a configuration. */
    public String text() {
        return text;
    }
}
