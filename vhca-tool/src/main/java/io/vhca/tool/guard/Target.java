package io.vhca.tool.guard;

import java.util.Optional;

/** A process that may be ended, that one and none that gets its number later. */
interface Target {
    /** Asks it to end, SIGTERM; false where that was not possible. */
    boolean terminate();

    /** Ends it, SIGKILL; false where that was not possible. */
    boolean kill();

    /** The process that has that number now; empty where there is none. */
    static Optional<Target> of(final long pid) {
        // A handle remembers when its process began, and sends no signal to another one.
        return ProcessHandle.of(pid).map(process -> new Target() {
            @Override
            public boolean terminate() {
                return process.destroy();
            }

            @Override
            public boolean kill() {
                return process.destroyForcibly();
            }
        });
    }
}
