package io.vhca.rdp.common;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** What was logged within the last minute, so that who comes again and again fills no log. One thread. */
public final class SaidLately {
    private static final long MINUTE_NS = TimeUnit.MINUTES.toNanos(1);
    private static final int MOST = 64;

    private final Map<String, Long> saidNs = new HashMap<>();

    /** Whether it was not said within the last minute: then it is now. */
    public boolean isNews(final String what, final long nowNs) {
        final Long before = saidNs.get(what);
        if (before != null && nowNs - before < MINUTE_NS) {
            return false;
        }
        if (saidNs.size() == MOST) {
            saidNs.clear();
        }
        saidNs.put(what, nowNs);
        return true;
    }
}
