package io.vhca.physical.soft.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.ConnectParameters;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** After what time a connection's ends send again: both have the one of who asked, unless they say otherwise. */
class AckTimeoutTest {
    private static final long WAIT_NS = 1_000_000_000;

    /** Eight tries of 537 ms, as an id of the kernel has them: a peer's process may stand for a second. */
    @ParameterizedTest
    @CsvSource({"-1, -1, 17, 17", "14, -1, 14, 14", "-1, 8, 17, 8"})
    void anIdThatNamesNoneHasThatOfLinux(
            final int named, final int namedByPeer, final int own, final int peers) throws Exception {
        try (CmWorld world = new CmWorld();
                CmId _ = world.listen();
                CmId active = world.resolved()) {
            name(active, named);
            active.connect(ConnectParameters.of(new byte[0]));
            assertThat(world.run(WAIT_NS, () -> world.server.count(CmEventType.CONNECT_REQUEST) > 0)).isTrue();
            try (CmId passive = world.requested()) {
                name(passive, namedByPeer);
                passive.accept(ConnectParameters.of(new byte[0]));
                assertThat(world.run(WAIT_NS, () -> world.client.count(CmEventType.ESTABLISHED) > 0)).isTrue();
                assertThat(timeout(active)).isEqualTo(own);
                assertThat(timeout(passive)).isEqualTo(peers);
                passive.destroyQp();
            }
            active.destroyQp();
        }
    }

    private static int timeout(final CmId id) {
        return Objects.requireNonNull(id.qp()).query().timeout();
    }

    private static void name(final CmId id, final int timeout) {
        if (timeout >= 0) {
            id.ackTimeout(timeout);
        }
    }
}
