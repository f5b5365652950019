package io.vhca.physical.soft.engine.core;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;

/** How many open objects there are of a kind, or that refer to another object. The engine's owner. */
public final class UseCount {
    private final EngineCore core;
    private int count;

    /** None yet. */
    public UseCount(final EngineCore core) {
        this.core = core;
    }

    /** How many there are. */
    public int get() {
        assert core.isOwner() : "only the engine's owner counts";
        return count;
    }

    /** Throws ENOMEM when there are {@code most} already. */
    public void requireBelow(final String verb, final int most) {
        requireBelow(core, verb, get(), most);
    }

    /** Throws ENOMEM when {@code count} is {@code most} already. */
    public static void requireBelow(final EngineCore core, final String verb, final int count, final int most) {
        if (count >= most) {
            throw new VerbsException(verb, Errno.ENOMEM, core.name(), "all " + most + " are in use: close some first");
        }
    }

    /** One more. */
    public void added() {
        assert core.isOwner() : "only the engine's owner counts";
        count++;
    }

    /** One less. */
    public void removed() {
        assert core.isOwner() : "only the engine's owner counts";
        assert count > 0 : "more were removed than added";
        count--;
    }
}
