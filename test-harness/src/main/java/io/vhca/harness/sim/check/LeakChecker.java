package io.vhca.harness.sim.check;

import io.vhca.api.VerbsException;
import io.vhca.harness.sim.core.Violations;
import java.util.ArrayDeque;
import java.util.Deque;

/** Closes everything that was opened. A close that fails is a violation: EBUSY says that an object was forgotten. */
public final class LeakChecker {
    private final String where;
    private final Violations violations;
    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    public LeakChecker(final String where, final Violations violations) {
        this.where = where;
        this.violations = violations;
    }

    /** Remembers an object; objects are closed last opened first. */
    public <T extends AutoCloseable> T opened(final T object) {
        open.push(object);
        return object;
    }

    /** Closes one object ahead of the others. */
    public void closeNow(final AutoCloseable object) {
        open.remove(object);
        close(object);
    }

    /** Closes the rest. */
    public void closeAll() {
        while (!open.isEmpty()) {
            close(open.pop());
        }
    }

    private void close(final AutoCloseable object) {
        try {
            object.close();
        } catch (final VerbsException e) {
            violations.report("nothing leaked", where, String.valueOf(e.getMessage()));
        } catch (final Exception e) {
            violations.report("nothing leaked", where, "closing " + object + ": " + e);
        }
    }
}
