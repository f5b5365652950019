package io.vhca.harness.drill.attack.kind;

/** What an attack must come to. */
public enum Defence {
    /** It must change nothing. */
    ALWAYS("refused"),
    /** It must change nothing where the bonds have a key; without one it may succeed. */
    WITH_KEY("refused with a key"),
    /** Nothing in a packet of RoCEv2 proves who sent it: it may succeed, and is only reported. */
    NONE("no proof in RoCEv2");

    private final String word;

    Defence(final String word) {
        this.word = word;
    }

    /** As reports name it. */
    public String word() {
        return word;
    }

    /** True where an attack that succeeds is a failure. */
    public boolean holds(final boolean hasKey) {
        return this == ALWAYS || this == WITH_KEY && hasKey;
    }
}
