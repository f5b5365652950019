package io.vhca.bond.fake;

import io.vhca.bond.config.BondConfig;
import io.vhca.bond.core.BondRuntime;
import io.vhca.recovery.Journal;
import java.util.SplittableRandom;

/** Makes the core of a bond whose turns a test makes; the calling thread has its control lock from the beginning. */
public final class HandCore {
    private HandCore() {}

    public static BondRuntime of(final BondConfig.Builder options) {
        return of(options, Journal.NONE);
    }

    /** The same, telling what happens. */
    public static BondRuntime of(final BondConfig.Builder options, final Journal journal) {
        final BondRuntime core = new BondRuntime(options.build(), journal, new SplittableRandom(7));
        core.lock();
        return core;
    }
}
