package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.WcStatus;
import io.vhca.api.cm.CmEventType;
import io.vhca.bond.core.MemberStatus;
import io.vhca.physical.soft.fabric.FabricPort;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Connects that begin while links are down or devices die: a pause, where one comes back in time. Virtual. */
class LateConnectTest {
    private static final long MS = BondPair.MS;
    private static final long RECOVERY_TIMEOUT_MS = 3_000;

    private final BondPair pair =
            new BondPair(config -> config.recoveryTimeoutNs(TimeUnit.MILLISECONDS.toNanos(RECOVERY_TIMEOUT_MS)));

    @AfterEach
    void close() {
        pair.close();
    }

    private void beginWithoutLinks() {
        for (final FabricPort port : pair.left.ports) {
            port.up(false);
        }
        pair.runFor(50 * MS);
        pair.beginConnect(pair.address(1, 9));
        pair.runFor(RECOVERY_TIMEOUT_MS * MS / 2);
        assertThat(pair.left.events).doesNotContain(CmEventType.UNREACHABLE, CmEventType.ESTABLISHED);
    }

    @Test
    void aConnectionIsMadeOverTheFirstLinkThatComesUp() {
        beginWithoutLinks();
        pair.left.ports[1].up(true);
        assertThat(pair.runUntil(() -> pair.left.events.contains(CmEventType.ESTABLISHED), 200 * MS)).isTrue();
        assertThat(pair.left.bond.admin().path(pair.left.qp())).startsWith("left1 ");
    }

    /** The answer was lost, and then the device died that gave it: what this side sends later completes. */
    @Test
    void whatIsSentCompletesThoughTheDeviceDiedUnderTheFirstAttempt() {
        final List<Integer> before = queuePairs();
        pair.block(0, false, true, true);
        pair.block(1, false, true, true);
        pair.beginConnect(pair.address(1, 9));
        assertThat(pair.runUntil(() -> pair.right.events.contains(CmEventType.CONNECT_REQUEST), 100 * MS)).isTrue();
        pair.runFor(MS);
        pair.right.devices[queuePairs().get(0) > before.get(0) ? 0 : 1].kill();
        pair.runFor(MS);
        pair.block(0, false, true, false);
        pair.block(1, false, true, false);
        assertThat(pair.runUntil(
                        () -> pair.left.events.contains(CmEventType.ESTABLISHED)
                                && pair.right.events.contains(CmEventType.ESTABLISHED),
                        RECOVERY_TIMEOUT_MS * MS))
                .isTrue();
        pair.right.send();
        assertThat(pair.runUntil(() -> !pair.right.sends.isEmpty(), 100 * MS)).isTrue();
        assertThat(pair.right.sends).containsExactly(WcStatus.SUCCESS);
    }

    private List<Integer> queuePairs() {
        return pair.right.bond.admin().members().stream().map(MemberStatus::queuePairs).toList();
    }

    @Test
    void whereNoneComesItIsToldInTime() {
        beginWithoutLinks();
        pair.runFor(RECOVERY_TIMEOUT_MS * MS / 2);
        assertThat(pair.left.events).contains(CmEventType.UNREACHABLE);
        pair.left.ports[1].up(true);
        pair.runFor(200 * MS);
        assertThat(pair.left.events).doesNotContain(CmEventType.ESTABLISHED);
    }
}
