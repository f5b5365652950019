package io.vhca.rdp.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.rdp.common.RdpConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What ends a flow, or its session, before the peer has said that it is open. */
class FlowOpeningTest {
    private final EnginePair pair = new EnginePair(1, RdpConfig.DEFAULT);
    private final Port to = pair.right.bind(2);
    private final Port from = pair.left.bind(3);
    private final OutFlow flow = pair.left.flow(from, 2);

    @BeforeEach
    void opening() {
        pair.open(pair.left.flow(pair.left.bind(1), 2), to);
        pair.left.send(flow, 0, 0);
        assertThat(flow.state()).isEqualTo(OutFlow.State.OPENING);
    }

    @AfterEach
    void close() {
        assertThat(pair.left.engine.missingBuffers()).isZero();
        assertThat(pair.right.engine.missingBuffers()).isZero();
        pair.close();
    }

    @Test
    void aFlowWhosePortIsClosedEndsWhenItIsOpen() {
        final int id = flow.id();
        pair.left.engine.ports().close(from);
        pair.run(100);
        assertThat(pair.left.peer().flows().outFlow(id)).isNull();
        assertThat(to.inFlows()).hasSize(1);
    }

    @Test
    void aFlowIsOpenedAgainInTheNextSession() {
        pair.left.engine.nodes().onReplaced(pair.left.peer());
        pair.right.engine.nodes().onDown(pair.right.peer());
        pair.run(50);
        pair.open(flow, to);
    }
}
