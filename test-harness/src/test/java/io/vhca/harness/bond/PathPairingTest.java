package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.core.FailoverReport;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two networks with no way across, and ports that are cut one after another at either end, each healed before the next.
 * Each end knows of its own ports at once and of the other's only by what fails. Virtual time.
 */
@Execution(ExecutionMode.CONCURRENT)
class PathPairingTest {
    private static final long MS = BondPair.MS;
    private static final int CUTS = 4;
    private static final int PORTS = 4;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noRecoveryTriesAWayThatDoesNotExistWhateverWasCutBefore(final boolean isNarrow) {
        final int orders = (int) Math.pow(PORTS, CUTS);
        for (int order = 0; order < orders; order++) {
            try (BondPair pair = BondPair.onTwoNetworks(config -> config.pathTimeoutNs(500 * MS), isNarrow)) {
                for (int i = 0, rest = order; i < CUTS; i++, rest /= PORTS) {
                    cut(pair, rest % PORTS, "order " + order + ", cut " + i);
                }
                for (final FailoverReport report : pair.left.failovers()) {
                    assertThat(report.connectNs()).as("order %d: %s", order, report).isLessThan(400 * MS);
                }
            }
        }
    }

    /** Cuts a port for a while under traffic, which must not rest for the time of an attempt in vain. */
    private static void cut(final BondPair pair, final int port, final String what) {
        final BondPair.Host host = port < 2 ? pair.left : pair.right;
        host.ports[port & 1].up(false);
        final int before = pair.right.received;
        pair.left.send();
        assertThat(pair.runUntil(() -> pair.right.received == before + 1, 400 * MS)).as(what).isTrue();
        pair.runFor(200 * MS);
        host.ports[port & 1].up(true);
        pair.runFor(150 * MS);
    }
}
