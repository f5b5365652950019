package io.vhca.rdp.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.VerbsException;
import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.common.SessionEnd;
import io.vhca.rdp.completion.DirectedReceipt;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** As many nodes as may be at once, and whose place is another's when there are more. */
class NodesTest {
    private static final int MOST = 8;

    private final EnginePair pair = new EnginePair(1, RdpConfig.DEFAULT.with("MaxNodes=" + MOST));
    private final Nodes nodes = pair.left.engine.nodes();

    @AfterEach
    void close() {
        pair.close();
    }

    private static InetAddress address(final int last) {
        return InetAddress.ofLiteral("10.1.0." + last);
    }

    /** As strangers and typing errors do. */
    private void name(final int from, final int count) {
        for (int i = from; i < from + count; i++) {
            nodes.peer(address(i));
        }
    }

    private void assertFull(final int another) {
        assertThatThrownBy(() -> nodes.peer(address(another)))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("ENOMEM")
                .hasMessageContaining("raise MaxNodes, and MaxRecvMemory with it");
    }

    private long endNodes() {
        return pair.left.engine.counters().get(Counter.END_NODES);
    }

    @Test
    void nodesThatAreCalledKeepTheirPlaces() {
        for (int i = 0; i < MOST; i++) {
            nodes.onConnecting(nodes.peer(address(i)));
        }
        assertFull(MOST);
        assertThat(endNodes()).isEqualTo(MOST);
        nodes.onDown(nodes.peer(address(3)));
        pair.left.engine.doWork(pair.nowNs);
        nodes.peer(address(MOST));
        assertThat(endNodes()).isEqualTo(MOST);
    }

    /** As where there are more nodes than MaxRecvMemory is enough for. */
    @Test
    void aSessionThatHasNoMemoryForItsReceivesSaysSo() {
        final EnginePair tight = new EnginePair(1, RdpConfig.DEFAULT.with("MaxRecvMemory=200000"));
        final Peer peer = tight.left.peer();
        final Nodes all = tight.left.engine.nodes();
        all.onConnecting(peer);
        assertThat(all.fill(peer, RdpConfig.DEFAULT.lanes() - 1)).isFalse();
        all.onDown(peer);
        tight.left.engine.doWork(tight.nowNs);
        assertThat(peer.state()).isEqualTo(PeerState.IDLE);
        assertThat(peer.lastEnd()).isEqualTo(SessionEnd.NO_RECV_MEMORY);
        tight.close();
    }

    /** Who was sent to once is no burden for as long as the socket lives. */
    @Test
    void aNodeThatIsGoneGivesItsPlaceAwayAndIsCalledAnew() {
        final Port to = pair.right.bind(2);
        final Port from = pair.left.bind(1);
        final OutFlow flow = pair.open(pair.left, from, 2);
        pair.left.peer().end(SessionEnd.DISCONNECTED, false);
        pair.run(50);
        name(0, MOST - 1);
        assertThat(flow.isGone()).isFalse();
        name(MOST, 1 + MOST);
        assertThat(flow.isGone()).isTrue();
        assertThat(from.outFlows()).isEmpty();
        final OutFlow another = pair.open(pair.left, from, 2);
        assertThat(another).isNotSameAs(flow);
        assertThat(pair.left.send(another, 7, 8)).isEqualTo(SendResult.SENT);
        pair.run(50);
        assertThat(pair.right.number(to)).isEqualTo(7);
        assertThat(pair.left.engine.missingBuffers()).isZero();
    }

    /** A server answers each client at a port of its own, which is closed when it has the answer. */
    @Test
    void whoAnswersManyPortsKeepsNothingOfThoseThatAreClosed() {
        final Port from = pair.left.bind(1);
        final Port open = pair.right.bind(2);
        final OutFlow kept = pair.open(pair.left, from, 2);
        for (int number = 3; number < 1_000; number++) {
            final Port client = pair.right.bind(number);
            final OutFlow flow = pair.open(pair.left, from, number);
            pair.right.engine.ports().close(client);
            while (flow.state() == OutFlow.State.OPEN || flow.state() == OutFlow.State.ENDING) {
                pair.step();
            }
            pair.nowNs += 100 * EnginePair.MS; // it is known to be missing for so long
        }
        assertThat(from.outFlows()).hasSizeLessThan(200).containsValue(kept);
        assertThat(kept.isGone()).isFalse();
        assertThat(pair.left.send(kept, 7, 8)).isEqualTo(SendResult.SENT);
        pair.run(50);
        assertThat(pair.right.number(open)).isEqualTo(7);
    }

    @Test
    void whoAnswersManyPortsOfItsOwnNodeKeepsNothingOfThoseThatAreClosed() {
        final Port from = pair.left.bind(1);
        final Port open = pair.left.bind(2);
        final InetSocketAddress kept = new InetSocketAddress(pair.left.address, 2);
        final OutFlow flow = pair.left.engine.ports().flow(from, kept);
        for (int number = 3; number < 1_000; number++) {
            final Port client = pair.left.bind(number);
            final OutFlow next =
                    pair.left.engine.ports().flow(from, new InetSocketAddress(pair.left.address, number));
            assertThat(pair.left.send(next, 1, 8)).isEqualTo(SendResult.SENT);
            pair.left.engine.ports().close(client);
        }
        assertThat(from.outFlows()).hasSizeLessThan(200);
        assertThat(flow.isGone()).as("somebody may wait for an open port").isFalse();
        pair.left.engine.ports().close(open);
    }

    @Test
    void nodesThatWereOnlyNamedGiveTheirPlacesToOthers() {
        name(0, 3 * MOST);
        assertThat(nodes.all()).hasSize(1 + MOST);
        assertThat(endNodes()).isEqualTo(MOST);
        final Port from = pair.left.bind(1);
        final Port to = pair.right.bind(2);
        final OutFlow flow = pair.open(pair.left, from, 2);
        name(3 * MOST, 3 * MOST);
        assertThat(pair.left.send(flow, 7, 8)).isEqualTo(SendResult.SENT);
        pair.run(50);
        assertThat(pair.right.number(to)).isEqualTo(7);
        for (int i = 0; i < nodes.all().size(); i++) {
            assertThat(nodes.all().get(i).index()).isEqualTo(i);
        }
        assertThat(nodes.peer(pair.left.address).index()).as("this node").isZero();
        assertThat(endNodes()).isEqualTo(MOST);
    }

    /** Who has no socket here may have sockets that send to some. */
    @Test
    void aNodeThatIsConnectedOrBlockedKeepsItsPlace() {
        pair.right.bind(2);
        final Port from = pair.left.bind(1);
        final OutFlow flow = pair.open(pair.left, from, 2);
        final Peer right = pair.left.peer();
        pair.left.engine.ports().close(from);
        pair.run(50);
        assertThat(flow.state()).isEqualTo(OutFlow.State.CLOSED);
        name(0, 2 * MOST);
        assertThat(nodes.all()).as("it is connected").contains(right);

        right.end(SessionEnd.CONNECT_TIMEOUT, true);
        name(2 * MOST, 2 * MOST);
        assertThat(nodes.all()).as("it is blocked").contains(right);

        pair.nowNs += pair.left.engine.config().minRecoveryNs();
        pair.left.engine.doWork(pair.nowNs);
        name(0, 2 * MOST);
        assertThat(nodes.all()).as("nobody needs it").doesNotContain(right);
        assertThat(endNodes()).isEqualTo(MOST);
        pair.run(50);
        pair.open(pair.left, pair.left.bind(1), 2);
        assertThat(pair.left.peer()).isNotSameAs(right);
        assertThat(pair.left.engine.missingBuffers()).isZero();
    }

    /** Its other names lead nowhere then: who uses one learns anew whose it is. */
    @Test
    void aNodeOfSeveralNamesIsForgottenWithThem() {
        final InetAddress alias = InetAddress.ofLiteral("10.9.0.2");
        final Port from = pair.left.bind(1);
        pair.left.engine.ports().flow(from, new InetSocketAddress(alias, 2));
        nodes.onNamed(nodes.peer(alias), pair.right.address);
        final Peer right = pair.left.peer();
        assertThat(nodes.peer(alias)).isSameAs(right);
        assertThat(endNodes()).isEqualTo(1);
        nodes.onConnecting(right);
        name(0, 2 * MOST);
        assertThat(nodes.peer(alias)).as("it is called").isSameAs(right);
        assertThat(endNodes()).as("its other name is nobody's any more").isEqualTo(MOST);
        nodes.onReplaced(right);
        name(2 * MOST, 2 * MOST);
        assertThat(nodes.all()).doesNotContain(right);
        assertThat(nodes.peer(alias)).isNotSameAs(right);
        assertThat(endNodes()).isEqualTo(MOST);
    }

    /** It was called by another name first, restarted, and has that one for its own now. */
    @Test
    void aNodeWhoseOtherNameBecomesItsOwnKeepsWhoSendsToIt() {
        final Port from = pair.left.bind(1);
        final InetAddress first = address(0);
        final InetAddress third = address(1);
        nodes.onNamed(nodes.peer(pair.right.address), first);
        nodes.onNamed(nodes.peer(third), first);
        final Peer before = nodes.peer(first);
        final OutFlow flow = pair.left.engine.ports().flow(from, new InetSocketAddress(first, 2));
        nodes.onNamed(before, pair.right.address);
        final Peer right = nodes.peer(pair.right.address);
        assertThat(right).isNotSameAs(before);
        assertThat(right.address()).isEqualTo(pair.right.address);
        assertThat(nodes.peer(first)).isSameAs(right);
        assertThat(nodes.peer(third)).isSameAs(right);
        assertThat(flow.latest().peer()).isSameAs(right);
        assertThat(endNodes()).isEqualTo(1);
    }

    /** Another of its own addresses: what is sent there goes to its own sockets, in every way. */
    @Test
    void aNodeThatTurnsOutToBeThisOneIsDeliveredToHere() {
        final int[] told = new int[1];
        final Port from = pair.left.bind(1, () -> told[0]++);
        final Port to = pair.left.bind(2);
        final InetAddress second = address(0);
        final OutFlow flow = pair.left.engine.ports().flow(from, new InetSocketAddress(second, 2));
        assertThat(pair.left.send(flow, 1, 8)).isEqualTo(SendResult.WOULD_BLOCK);
        nodes.onNamed(nodes.peer(second), pair.left.address);
        assertThat(told[0]).isPositive();
        assertThat(nodes.nameOf(second)).isEqualTo(pair.left.address);
        assertThat(endNodes()).isZero();
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment memory = arena.allocate(64, 64);
            final InetSocketAddress source = new InetSocketAddress(pair.left.address, 1);
            assertThat(pair.left.send(flow, 7, 8)).isEqualTo(SendResult.SENT);
            assertThat(pair.left.number(to)).isEqualTo(7);
            assertThat(pair.left.sendInPlace(flow, memory, 70)).isEqualTo(SendResult.SENT);
            assertThat(pair.left.receive(to)).hasSize(64);
            to.offers().offer(memory.address(), 64, source, 5);
            assertThat(pair.left.sendDirected(flow, memory, 5, 71)).isEqualTo(SendResult.SENT);
            assertThat(to.offers().poll()).isEqualTo(new DirectedReceipt(5, 64, source, false));
        }
        pair.left.engine.ports().close(to);
        assertThat(pair.left.send(flow, 7, 8)).isEqualTo(SendResult.UNREACHABLE);
        assertThat(pair.left.engine.missingBuffers()).isZero();
    }

    /** An address goes from host to host: whoever calls by it is no socket of this node. */
    @Test
    void anAddressOfThisNodeThatAnotherOneHasNowIsThatOnes() {
        final InetAddress moved = address(0);
        nodes.onNamed(nodes.peer(moved), pair.left.address);
        nodes.isAnothers(moved);
        nodes.isAnothers(pair.left.address);
        assertThat(nodes.peer(moved).address()).isEqualTo(moved);
        assertThat(nodes.nameOf(pair.left.address)).isEqualTo(pair.left.address);
    }

    /** By the name that was said it is known as another one's still, and has not been asked for its own. */
    @Test
    void whoIsFoundByAnotherOfHisNamesIsAskedForHisOwn() {
        final Peer first = nodes.peer(address(0));
        nodes.onNamed(nodes.peer(address(1)), address(0));
        nodes.onConnecting(first);
        nodes.onDown(first);
        pair.left.engine.doWork(pair.nowNs);
        assertThat(first.isNamed()).isFalse();
        nodes.onNamed(nodes.peer(address(2)), address(1));
        assertThat(nodes.peer(address(2))).isSameAs(first);
        assertThat(first.isNamed()).isFalse();
    }

    /** Until a session has come and gone: the node may be another one then, or have another name. */
    @Test
    void aNameIsKnownFromWhenItIsSaidUntilTheNextSessionIsOver() {
        final InetAddress alias = address(0);
        final Peer right = pair.left.peer();
        assertThat(right.isNamed()).isFalse();
        nodes.onNamed(nodes.peer(alias), pair.right.address);
        assertThat(right.isNamed()).isTrue();
        nodes.onConnecting(right);
        assertThat(right.isNamed()).isTrue();
        nodes.onDown(right);
        pair.left.engine.doWork(pair.nowNs);
        assertThat(right.isNamed()).isFalse();
        nodes.onConnecting(right);
        nodes.onConfirmed(right);
        assertThat(right.state()).isEqualTo(PeerState.IDLE);
        assertThat(right.isBlocked()).isFalse();
        assertThat(right.isNamed()).isTrue();
    }

    /** Whose name is learned while there is no other place keeps his own until it is. */
    @Test
    void aNodeThatIsNamedIsNotForgottenForItsName() {
        for (int i = 1; i < MOST; i++) {
            nodes.onConnecting(nodes.peer(address(i)));
        }
        final Peer called = nodes.peer(address(0));
        nodes.onConnecting(called);
        assertThatThrownBy(() -> nodes.onNamed(called, pair.right.address)).hasMessageContaining("MaxNodes");
        assertThat(nodes.peer(address(0))).isSameAs(called);
        assertThat(endNodes()).isEqualTo(MOST);
    }

    /** A connect may take longer than a node may be silent. */
    @Test
    void aNodeIsHeardOfWhenItIsConnected() {
        final Peer peer = nodes.peer(address(0));
        nodes.onConnecting(peer);
        pair.nowNs += 2 * pair.left.engine.config().nodeTimeoutNs();
        pair.left.engine.begin(pair.nowNs);
        nodes.onUp(peer);
        pair.left.engine.doWork(pair.nowNs);
        assertThat(peer.state()).isEqualTo(PeerState.UP);
    }

    /** Who read the clock first may have his turn second. */
    @Test
    void whatIsHeardInATurnThatWasDelayedIsNotDatedBack() {
        final Peer peer = nodes.peer(address(0));
        nodes.onConnecting(peer);
        nodes.onUp(peer);
        final long laterNs = pair.nowNs + 2 * pair.left.engine.config().nodeTimeoutNs();
        pair.left.engine.begin(laterNs);
        pair.left.engine.begin(pair.nowNs);
        peer.onHeard();
        pair.left.engine.doWork(pair.nowNs);
        pair.left.engine.doWork(laterNs);
        assertThat(peer.state()).isEqualTo(PeerState.UP);
    }
}
