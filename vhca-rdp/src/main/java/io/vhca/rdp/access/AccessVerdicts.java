package io.vhca.rdp.access;

import java.io.IOException;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * What a file of users and groups said when it was read, and who was found in it or not since then: names are looked up
 * once, however often somebody asks who is refused. Any thread.
 *
 * @param version of the file that was read
 */
record AccessVerdicts(Version version, long readNs, AccessList list, Map<Credentials, Boolean> verdicts) {
    /** What this host calls its users may change though the file does not. */
    private static final long HOLDS_NS = TimeUnit.SECONDS.toNanos(1);
    private static final int MOST = 1_024;

    /** What tells a file from another one, and from itself after each change. */
    record Version(Object key, FileTime changed, long size) {}

    /** Of what was read now. */
    static AccessVerdicts of(final Version version, final long nowNs, final AccessList list) {
        return new AccessVerdicts(version, nowNs, list, new ConcurrentHashMap<>());
    }

    /** Whether they still hold for the file that is there now. */
    boolean hold(final Version now, final long nowNs) {
        return version.equals(now) && nowNs - readNs < HOLDS_NS;
    }

    /** Whether the user is named, or one of the groups that the process is in. */
    boolean has(final Credentials who) throws IOException {
        // Whichever of the user's processes it is.
        final Credentials key = new Credentials(0, who.user(), who.groups());
        final Boolean known = verdicts.get(key);
        if (known != null) {
            return known;
        }
        if (verdicts.size() >= MOST) {
            verdicts.clear();
        }
        final boolean isIn = list.has(who);
        verdicts.put(key, isIn);
        return isIn;
    }
}
