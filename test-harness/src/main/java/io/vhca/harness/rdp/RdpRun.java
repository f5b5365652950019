package io.vhca.harness.rdp;

import java.util.List;

/**
 * How a run ended.
 *
 * @param lost     datagrams that were lost with a path that was marked failed
 * @param stalls   that were heard
 * @param failures paths that were marked failed
 */
record RdpRun(
        RdpScenario scenario, List<String> violations, int received, int lost, long stalls, long failures,
        long virtualNs) {
    boolean isGood() {
        return violations.isEmpty();
    }
}
