package io.vhca.rdp.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.common.RdpCounters.Counter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When an end says how much it has taken. */
class GrantTest {
    private static final RdpConfig CONFIG = RdpConfig.DEFAULT;

    private final EnginePair pair = new EnginePair(1, CONFIG);

    @AfterEach
    void close() {
        pair.close();
    }

    /** Each grant is a message of its own where the other end has nothing to send: not one for every few datagrams. */
    @Test
    void aStreamIsGrantedAQuarterOfTheReceivesAtATime() {
        final Port from = pair.left.bind(1);
        final Port to = pair.right.bind(2);
        final OutFlow flow = pair.open(pair.left, from, 2);
        final long before = pair.right.engine.counters().get(Counter.TX_CONTROL);
        final int count = 40 * CONFIG.dataRecvBuffers();
        int sent = 0;
        for (int received = 0; received < count; pair.step()) {
            while (sent < count && pair.left.send(flow, sent, 8_000) == SendResult.SENT) {
                sent++;
            }
            while (pair.right.number(to) >= 0) {
                received++;
            }
        }
        assertThat(pair.right.engine.counters().get(Counter.TX_CONTROL) - before)
                .isBetween(40L, 4L * 40);
    }
}
