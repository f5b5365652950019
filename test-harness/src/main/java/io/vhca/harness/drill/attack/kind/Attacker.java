package io.vhca.harness.drill.attack.kind;

/** Who attacks. */
public enum Attacker {
    /** Has addresses of its own, and knows nothing. */
    STRANGER("stranger", false, false),
    /** Sends with the peer's address, and hears nothing of what is answered there. */
    SPOOFER("spoofer", true, false),
    /** Has seen what the ends sent, and sends from addresses of its own. */
    LISTENER("listener", false, true),
    /** Has seen what the ends sent, and sends with their addresses. */
    ON_PATH("onpath", true, true);

    private final String word;
    private final boolean spoofs;
    private final boolean hasSeen;

    Attacker(final String word, final boolean spoofs, final boolean hasSeen) {
        this.word = word;
        this.spoofs = spoofs;
        this.hasSeen = hasSeen;
    }

    /** True for one that sends with the ends' addresses. */
    public boolean spoofs() {
        return spoofs;
    }

    /** True for one that has seen what the ends sent. */
    public boolean hasSeen() {
        return hasSeen;
    }

    /** As reports name it. */
    public String word() {
        return word;
    }
}
