package io.vhca.rdp.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.common.SessionEnd;
import io.vhca.rdp.wire.BareDescriptor;
import io.vhca.rdp.wire.ControlDescriptor;
import io.vhca.rdp.wire.MessageDescriptor;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node that says of its flows what cannot be: its session ends, and no receive buffer is lost by it. */
class ForgedFlowTest {
    private static final int AHEAD = 3;

    private final EnginePair pair = new EnginePair(1, RdpConfig.DEFAULT);
    private final EnginePair.Node right = pair.right;
    private final OutFlow flow = pair.left.flow(pair.left.bind(1), 2);
    private long next;

    @BeforeEach
    void open() {
        pair.open(flow, right.bind(2));
        next = Objects.requireNonNull(right.peer().flows().inFlow(flow.id())).expected();
    }

    @AfterEach
    void nothingIsLost() {
        right.engine.doWork(pair.nowNs);
        assertThat(right.engine.missingBuffers()).isZero();
        pair.close();
    }

    private void arrives(final int flowId, final long sequence) {
        right.engine.arrivals().onImmediate(
                right.peer(), 1, right.takeReceive(1), 10,
                BareDescriptor.encode(flowId, sequence, MessageDescriptor.LAST));
    }

    private void arrivesOutOfOrder(final int flowId, final long first) {
        for (int i = 1; i <= AHEAD; i++) {
            arrives(flowId, first + i);
        }
    }

    private void ends(final long sequence) {
        right.forgeControl(ControlDescriptor.FLOW_END, 0, 0, flow.id(), sequence);
    }

    private void isForeign(final boolean isIt) {
        assertThat(right.engine.counters().get(Counter.FOREIGN)).isEqualTo(isIt ? 1 : 0);
        right.engine.doWork(pair.nowNs);
        assertThat(right.peer().isUp()).isEqualTo(!isIt);
        assertThat(right.peer().lastEnd()).isEqualTo(isIt ? SessionEnd.FOREIGN : SessionEnd.NONE);
    }

    /** Of what waits for a message that is missing, the last is {@value #AHEAD} ahead. */
    @ParameterizedTest
    @ValueSource(longs = {-1, 0, 1, AHEAD, OutFlow.WINDOW + 1, Long.MIN_VALUE})
    void anEndBeforeWhatCameOrFarAheadOfItIsForeign(final long ahead) {
        arrivesOutOfOrder(flow.id(), next);
        ends(next + ahead);
        isForeign(true);
    }

    /** As a record says it, not as far from what came. */
    @Test
    void anEndBeforeTheBeginningIsForeign() {
        ends(-1);
        isForeign(true);
    }

    @Test
    void aFlowEndsOnce() {
        arrivesOutOfOrder(flow.id(), next);
        ends(next + AHEAD + 1);
        isForeign(false);
        ends(next + AHEAD + 2);
        isForeign(true);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void nothingComesBehindTheEnd(final int behind) {
        ends(next + 1);
        isForeign(false);
        arrives(flow.id(), next + 1 + behind);
        isForeign(true);
    }

    @Test
    void nothingComesOfAFlowThatHasEnded() {
        ends(next);
        arrives(flow.id(), next);
        isForeign(true);
    }

    private InFlow opened(final int id) {
        right.forgeControl(ControlDescriptor.FLOW_OPEN, id, 2, id, 0);
        right.engine.doWork(pair.nowNs);
        return Objects.requireNonNull(right.peer().flows().inFlow(id));
    }

    /** Who opens all flows that there are costs no memory by two messages in the wrong order on each. */
    @Test
    void aFlowHasRoomForWhatCameTooEarlyOnlyAsLongAsThatWaits() {
        for (int id = flow.id() + 1; id < flow.id() + 9; id++) {
            final InFlow opened = opened(id);
            arrives(id, 2);
            arrives(id, 1);
            assertThat(opened.isInOrder()).isFalse();
            assertThat(opened.heldBuffers()).isEqualTo(2);
            arrives(id, 0);
            assertThat(opened.isInOrder()).isTrue();
            assertThat(opened.heldBuffers()).isZero();
            arrives(id, 4);
            assertThat(opened.isInOrder()).isFalse();
        }
        isForeign(false);
        final InFlow last = Objects.requireNonNull(right.peer().flows().inFlow(flow.id() + 8));
        right.engine.nodes().onReplaced(right.peer());
        assertThat(last.isInOrder()).isTrue();
    }

    /** Where it is looked for, the end of all flows to one port takes the square of their number. */
    @Test
    void aFlowLeavesItsPortWithoutALookAtTheOthers() {
        final InFlow first = Objects.requireNonNull(right.peer().flows().inFlow(flow.id()));
        final Port port = Objects.requireNonNull(first.port());
        final InFlow second = opened(flow.id() + 3);
        final InFlow third = opened(flow.id() + 2);
        final InFlow fourth = opened(flow.id() + 1);
        assertThat(port.inFlows()).containsExactly(first, second, third, fourth);
        right.forgeControl(ControlDescriptor.FLOW_END, 0, 0, second.id(), 0);
        assertThat(port.inFlows()).as("the last has its place").containsExactly(first, fourth, third);
        right.forgeControl(ControlDescriptor.FLOW_END, 0, 0, third.id(), 0);
        assertThat(port.inFlows()).containsExactly(first, fourth);
        right.forgeControl(ControlDescriptor.FLOW_END, 0, 0, fourth.id(), 0);
        assertThat(port.inFlows()).containsExactly(first);
        isForeign(false);
        right.engine.nodes().onReplaced(right.peer());
        assertThat(port.inFlows()).isEmpty();
    }

    /** To a port that is missing, by who did not wait for the answer. */
    @Test
    void whatWaitsForAMessageOfAFlowThatIsRefusedIsDropped() {
        final int id = flow.id() + 1;
        right.forgeControl(ControlDescriptor.FLOW_OPEN, 1, 99, id, 0);
        arrivesOutOfOrder(id, 0);
        isForeign(false);
        assertThat(right.engine.missingBuffers()).isZero();
        arrives(id, 0);
        isForeign(true);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 3, Integer.MAX_VALUE})
    void creditsOfAConnectionThatThereIsNotAreForeign(final int lane) {
        right.forgeControl(ControlDescriptor.GRANT, 0, 0, lane, 1);
        isForeign(true);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, BareDescriptor.MOST_FLOWS, Integer.MAX_VALUE})
    void aFlowThatCannotBeIsForeign(final int id) {
        right.forgeControl(ControlDescriptor.FLOW_OPEN, 1, 2, id, 0);
        isForeign(true);
    }

    @Test
    void aFlowThatIsOpenIsOpenedNoSecondTime() {
        right.forgeControl(ControlDescriptor.FLOW_OPEN, 1, 2, flow.id(), 0);
        isForeign(true);
    }

    private void offered(final int slot, final int lengthBytes) {
        pair.left.forgeControl(ControlDescriptor.OFFER, slot, flow.id(), lengthBytes, 1);
        assertThat(pair.left.engine.counters().get(Counter.FOREIGN)).isEqualTo(1);
        pair.left.engine.doWork(pair.nowNs);
        assertThat(pair.left.peer().lastEnd()).isEqualTo(SessionEnd.FOREIGN);
        assertThat(pair.left.engine.missingBuffers()).isZero();
    }

    @Test
    void memoryWithoutAPlaceIsForeign() {
        offered(7, 100);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0})
    void memoryWithoutALengthIsForeign(final int lengthBytes) {
        pair.left.forgeControl(ControlDescriptor.OFFER_PLACE, 7, 0, 78, 4_096);
        assertThat(pair.left.engine.counters().get(Counter.FOREIGN)).isZero();
        offered(7, lengthBytes);
    }
}
