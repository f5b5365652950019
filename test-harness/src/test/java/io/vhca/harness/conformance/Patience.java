package io.vhca.harness.conformance;

import java.util.concurrent.TimeUnit;

/** How long a test waits for what must come: the machine is others' as well, and only who fails waits that long. */
public final class Patience {
    public static final long NS = TimeUnit.SECONDS.toNanos(120);
    public static final int MS = (int) TimeUnit.NANOSECONDS.toMillis(NS);

    private Patience() {}
}
