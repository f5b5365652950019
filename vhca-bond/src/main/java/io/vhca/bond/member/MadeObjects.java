package io.vhca.bond.member;

import io.vhca.api.VerbsException;
import io.vhca.bond.core.BondCore;
import java.util.ArrayDeque;
import java.util.Deque;

/** What something of the bond's own on a member is made of, to be destroyed newest first. Control lock. */
public final class MadeObjects {
    private final BondCore core;
    private final Deque<AutoCloseable> made = new ArrayDeque<>();

    public MadeObjects(final BondCore core) {
        this.core = core;
    }

    /** It is one of them. */
    public <T extends AutoCloseable> T add(final T object) {
        made.add(object);
        return object;
    }

    /** Destroys all; what a member says to that is counted, since of a dead device all is destroyed. Idempotent. */
    public void destroy() {
        assert core.holdsLock();
        while (!made.isEmpty()) {
            try {
                made.removeLast().close();
            } catch (final VerbsException e) {
                core.counters().ignored(e);
            } catch (final Exception e) {
                throw new IllegalStateException("verbs objects throw VerbsException", e);
            }
        }
    }
}
