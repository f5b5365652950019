package io.vhca.harness.drill;

import io.vhca.harness.drill.protocol.DrillLine;
import java.util.Locale;

/**
 * The longest time in one drill for which a connection completed nothing that it had under way, of all connections, and
 * for which no datagram came back, from the first one on.
 *
 * @param connectionsMs negative where it is not known
 * @param datagramsMs   negative where none were sent
 */
public record Outages(long connectionsMs, long datagramsMs) {
    /** Nothing is known. */
    static final Outages NONE = new Outages(-1, -1);

    /** What is promised of datagrams: so many times the outage of connections ... */
    static final int MOST_TIMES = 2;
    /** ... and the next heartbeat, by which a path that dies unheard is found, ... */
    static final long HEARTBEAT_MS = 1_000;
    /** ... and so many questions where to go instead, each of which may be waited for as long as a path is. */
    static final int QUESTIONS = 2;

    static Outages of(final DrillLine sent) {
        return new Outages(
                Long.parseLong(sent.values().getOrDefault("connectionsMs", "-1")),
                Long.parseLong(sent.values().getOrDefault("datagramsMs", "-1")));
    }

    /**
     * What is wrong about it, empty for nothing.
     *
     * @param pathTimeoutMs of the bonds
     */
    String wrong(final long pathTimeoutMs) {
        final long floorMs = HEARTBEAT_MS + QUESTIONS * pathTimeoutMs;
        return datagramsMs <= MOST_TIMES * connectionsMs + floorMs
                ? ""
                : "no datagram came back for " + datagramsMs + " ms, allowed are " + MOST_TIMES + " times the "
                        + connectionsMs + " ms of connections and " + floorMs + " ms";
    }

    /** One line for people, empty where nothing is known. */
    String text() {
        return connectionsMs < 0
                ? ""
                : String.format(
                        Locale.ROOT,
                        "longest outage: connections %d ms%s",
                        connectionsMs,
                        datagramsMs < 0 ? "" : ", datagrams " + datagramsMs + " ms");
    }

    /** A cell of a table. */
    public static String cell(final long ms) {
        return ms < 0 ? "-" : String.valueOf(ms);
    }
}
