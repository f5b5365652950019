package io.vhca.harness.drill.attack.kind;

/** Who attacks. */
public enum Attacker {
    /** Has addresses of its own, and knows nothing. */
    STRANGER("stranger"),
    /** Sends with the peer's address, and hears nothing of what is answered there. */
    SPOOFER("spoofer"),
    /** Sends with the peer's address, and has seen what the ends sent. */
    LISTENER("listener");

    private final String word;

    Attacker(final String word) {
        this.word = word;
    }

    /** As reports name it. */
    public String word() {
        return word;
    }
}
