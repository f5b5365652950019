package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.cm.CmEventType;
import io.vhca.physical.soft.fabric.FabricPort;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A connect that begins while no link is up: a pause, where one comes back in time. Virtual time. */
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
