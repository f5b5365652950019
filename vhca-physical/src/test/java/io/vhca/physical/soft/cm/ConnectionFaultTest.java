package io.vhca.physical.soft.cm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Errno;
import io.vhca.api.Mtu;
import io.vhca.api.NativeMemory;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QueuePair;
import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.VerbsException;
import io.vhca.api.WcDescriptor;
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.physical.soft.cm.message.ConnInput;
import io.vhca.physical.soft.cm.message.RejectReason;
import io.vhca.physical.soft.fabric.Verdict;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Connections live through what a network does to their messages; everything on virtual time. */
class ConnectionFaultTest {
    private static final long LONG_NS = 20_000_000_000L;
    private static final int MESSAGES_OF_A_LIFE = 5;

    private static byte[] bytes(final int... values) {
        final byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }

    private static void hears(final CmWorld world, final CmWorld.Host host, final CmEventType type) throws Exception {
        assertThat(world.run(LONG_NS, () -> host.count(type) > 0))
                .as("%s was told", type)
                .isTrue();
    }

    /** Connect, accept, disconnect by the client, timewait on both sides. */
    private static void liveThrough(final CmWorld.MadJudge judge, final String what) throws Exception {
        try (CmWorld world = new CmWorld()) {
            world.judge(judge);
            final CmId listener = world.listen();
            final CmId active = world.resolved();
            active.connect(ConnectParameters.of(bytes(1, 2)));
            assertThat(world.run(LONG_NS, () -> world.server.count(CmEventType.CONNECT_REQUEST) > 0))
                    .as(what)
                    .isTrue();
            final CmId passive = world.requested();
            assertThat(world.server.first(CmEventType.CONNECT_REQUEST).privateData())
                    .hasSize(56)
                    .startsWith(1, 2, 0);
            passive.accept(ConnectParameters.of(bytes(3)));
            assertThat(world.run(
                            LONG_NS,
                            () -> world.client.count(CmEventType.ESTABLISHED) > 0
                                    && world.server.count(CmEventType.ESTABLISHED) > 0))
                    .as(what)
                    .isTrue();
            assertThat(world.client.first(CmEventType.ESTABLISHED).privateData())
                    .hasSize(196)
                    .startsWith(3, 0);
            assertThat(Objects.requireNonNull(active.qp()).state()).isEqualTo(QpState.RTS);
            assertThat(Objects.requireNonNull(passive.qp()).state()).isEqualTo(QpState.RTS);
            active.disconnect();
            assertThat(active.qp().state()).isEqualTo(QpState.ERR);
            assertThat(world.run(
                            LONG_NS,
                            () -> world.client.count(CmEventType.TIMEWAIT_EXIT) > 0
                                    && world.server.count(CmEventType.TIMEWAIT_EXIT) > 0))
                    .as(what)
                    .isTrue();
            for (final CmWorld.Host host : List.of(world.client, world.server)) {
                assertThat(host.count(CmEventType.ESTABLISHED)).as(what).isEqualTo(1);
                assertThat(host.count(CmEventType.DISCONNECTED)).as(what).isEqualTo(1);
            }
            assertThat(world.server.count(CmEventType.CONNECT_REQUEST)).as(what).isEqualTo(1);
            active.close();
            passive.close();
            listener.close();
        }
    }

    /** The first request shows that the peer has the REP, whichever state the queue pair is in. */
    @Test
    void whereEachRtuIsLostTheFirstRequestEstablishes() throws Exception {
        try (CmWorld world = new CmWorld();
                Arena arena = Arena.ofConfined()) {
            world.judge((index, type) -> type == ConnInput.RTU ? Verdict.DROP : Verdict.DELIVER);
            final CmId listener = world.listen();
            final CmId active = world.resolved();
            active.connect(ConnectParameters.of(bytes()));
            hears(world, world.server, CmEventType.CONNECT_REQUEST);
            final CmId passive = world.requested();
            passive.accept(ConnectParameters.of(bytes()));
            hears(world, world.client, CmEventType.ESTABLISHED);
            assertThat(world.server.count(CmEventType.ESTABLISHED)).isZero();
            Objects.requireNonNull(active.qp())
                    .postSend(SendWorkRequest.allocate(arena, 1).opcode(WrOpcode.SEND));
            hears(world, world.server, CmEventType.ESTABLISHED);
            active.close();
            passive.close();
            listener.close();
        }
    }

    /** READs and atomics: each end starts no more than it wants, and than the other one answers. */
    @Test
    void theDepthsAreTheLeastOfWhatBothEndsSay() throws Exception {
        for (final int wanted : new int[] {9, 1}) {
            try (CmWorld world = new CmWorld()) {
                final CmId listener = world.listen();
                final CmId active = world.resolved();
                active.connect(new ConnectParameters(new byte[0], 3, 7, 7, 7, 0, 0));
                hears(world, world.server, CmEventType.CONNECT_REQUEST);
                final CmId passive = world.requested();
                passive.accept(new ConnectParameters(new byte[0], 2, wanted, 7, 7, 0, 0));
                hears(world, world.client, CmEventType.ESTABLISHED);
                final QpAttributes client = Objects.requireNonNull(active.qp()).query();
                final QpAttributes server = Objects.requireNonNull(passive.qp()).query();
                assertThat(client.maxRdAtomic()).isEqualTo(2);
                assertThat(server.maxRdAtomic()).isEqualTo(Math.min(3, wanted));
                assertThat(client.maxDestRdAtomic()).isEqualTo(Math.min(3, wanted));
                active.close();
                passive.close();
                listener.close();
            }
        }
    }

    @Test
    void anUntouchedLifeTakesFiveMessages() throws Exception {
        final int[] count = {0};
        liveThrough(
                (index, type) -> {
                    count[0] = index + 1;
                    return Verdict.DELIVER;
                },
                "nothing lost");
        assertThat(count[0]).isEqualTo(MESSAGES_OF_A_LIFE);
    }

    @Test
    void survivesTheLossOfAnyTwoMessages() throws Exception {
        for (int first = 0; first < 2 * MESSAGES_OF_A_LIFE; first++) {
            for (int second = first; second < 2 * MESSAGES_OF_A_LIFE; second++) {
                final int a = first;
                final int b = second;
                liveThrough(
                        (index, type) -> index == a || index == b ? Verdict.DROP : Verdict.DELIVER,
                        "lost " + a + " and " + b);
            }
        }
    }

    @Test
    void survivesAnyMessageDoubledOrLate() throws Exception {
        for (int which = 0; which < MESSAGES_OF_A_LIFE; which++) {
            for (final int delayMs : new int[] {0, 30, 60, 300}) {
                final int at = which;
                liveThrough(
                        (index, type) -> index == at
                                ? Verdict.duplicate(Verdict.DELIVER, Math.min(delayMs * 1000, 65_535))
                                : Verdict.DELIVER,
                        "doubled " + at + " after " + delayMs + " ms");
                liveThrough(
                        (index, type) -> index == at
                                ? Verdict.delay(Verdict.DELIVER, delayMs * 1_000_000L)
                                : Verdict.DELIVER,
                        "late " + at + " by " + delayMs + " ms");
            }
        }
    }

    @Test
    void nobodyThereIsUnreachableAfterAllTries() throws Exception {
        try (CmWorld world = new CmWorld()) {
            world.judge((index, type) -> Verdict.DROP);
            final CmId active = world.resolved();
            final long start = world.nowNs();
            active.connect(ConnectParameters.of(new byte[0]));
            hears(world, world.client, CmEventType.UNREACHABLE);
            assertThat(world.client.first(CmEventType.UNREACHABLE).status()).isEqualTo(-Errno.ETIMEDOUT);
            long expected = 0;
            for (int i = 0; i < CmConfig.DEFAULT.maxTries(); i++) {
                expected += CmConfig.DEFAULT.waitNs(i);
            }
            assertThat(world.nowNs() - start).isBetween(expected, expected + 2_000_000L);
            assertThat(world.sent.stream().filter(type -> type == ConnInput.REQ).count())
                    .isEqualTo(CmConfig.DEFAULT.maxTries());
            assertThat(Objects.requireNonNull(active.qp()).state()).isEqualTo(QpState.ERR);
            active.close();
        }
    }

    @Test
    void noListenerIsRejectedWithReason8() throws Exception {
        try (CmWorld world = new CmWorld()) {
            final CmId active = world.resolved();
            active.connect(ConnectParameters.of(new byte[0]));
            hears(world, world.client, CmEventType.REJECTED);
            assertThat(world.client.first(CmEventType.REJECTED).status()).isEqualTo(RejectReason.INVALID_SERVICE_ID);
            active.close();
        }
    }

    @Test
    void whatWasPostedBeforeARejectionIsFlushed() throws Exception {
        try (CmWorld world = new CmWorld(); Arena arena = Arena.ofConfined()) {
            final CmId active = world.resolved();
            final QueuePair qp = Objects.requireNonNull(active.qp());
            assertThat(qp.postRecv(RecvWorkRequest.allocate(arena, 1).wrId(7).numSge(0))).isEqualTo(1);
            active.connect(ConnectParameters.of(new byte[0]));
            hears(world, world.client, CmEventType.REJECTED);
            assertThat(qp.state()).isEqualTo(QpState.ERR);
            final MemorySegment wc = arena.allocate(WcDescriptor.SIZE, 8);
            assertThat(world.client.cq.poll(wc.address(), 1)).isEqualTo(1);
            assertThat(NativeMemory.getLong(wc.address() + WcDescriptor.WR_ID_OFFSET)).isEqualTo(7);
            assertThat(NativeMemory.getInt(wc.address() + WcDescriptor.STATUS_OFFSET))
                    .isEqualTo(WcStatus.WR_FLUSH_ERR.code());
            active.close();
        }
    }

    @Test
    void rejectionCarriesPrivateDataThoughTheFirstIsLost() throws Exception {
        try (CmWorld world = new CmWorld()) {
            final int[] lost = {0};
            world.judge((index, type) -> type == ConnInput.REJ && lost[0]++ == 0 ? Verdict.DROP : Verdict.DELIVER);
            final CmId listener = world.listen();
            final CmId active = world.resolved();
            active.connect(ConnectParameters.of(new byte[0]));
            world.run(LONG_NS, () -> world.server.count(CmEventType.CONNECT_REQUEST) > 0);
            final CmId passive = world.server.first(CmEventType.CONNECT_REQUEST).id();
            passive.reject(bytes(4, 5, 6));
            passive.close();
            hears(world, world.client, CmEventType.REJECTED);
            assertThat(world.client.first(CmEventType.REJECTED).status()).isEqualTo(RejectReason.CONSUMER_DEFINED);
            assertThat(world.client.first(CmEventType.REJECTED).privateData())
                    .hasSize(148)
                    .startsWith(4, 5, 6, 0);
            assertThat(world.server.count(CmEventType.CONNECT_REQUEST)).isEqualTo(1);
            active.close();
            listener.close();
        }
    }

    @Test
    void aThinkingOwnerKeepsThePeerWaiting() throws Exception {
        try (CmWorld world = new CmWorld()) {
            world.judge((index, type) -> Verdict.DELIVER);
            final CmId listener = world.listen();
            final CmId active = world.resolved();
            active.connect(ConnectParameters.of(new byte[0]));
            world.run(3_000_000_000L, () -> false);
            assertThat(world.client.count(CmEventType.UNREACHABLE)).isZero();
            assertThat(world.sent).contains(ConnInput.MRA);
            final CmId passive = world.requested();
            passive.accept(ConnectParameters.of(new byte[0]));
            hears(world, world.client, CmEventType.ESTABLISHED);
            active.close();
            passive.close();
            listener.close();
        }
    }

    /** Both ids of a connection whose server has accepted, while the client's owner does not look. */
    private record Accepted(CmId listener, CmId active, CmId passive) {
        static Accepted in(final CmWorld world) throws Exception {
            world.judge((index, type) -> Verdict.DELIVER);
            final CmId listener = world.listen();
            final CmId active = world.resolved();
            active.connect(ConnectParameters.of(new byte[0]));
            world.run(LONG_NS, () -> world.server.count(CmEventType.CONNECT_REQUEST) > 0);
            final CmId passive = world.requested();
            world.clientLooks(false);
            passive.accept(ConnectParameters.of(bytes(3)));
            return new Accepted(listener, active, passive);
        }
    }

    @Test
    void thePeerIsNotEstablishedBeforeTheAnswerIsTaken() throws Exception {
        try (CmWorld world = new CmWorld()) {
            final Accepted ends = Accepted.in(world);
            assertThat(world.run(3_000_000_000L, () -> world.server.count(CmEventType.ESTABLISHED) > 0))
                    .isFalse();
            assertThat(world.server.count(CmEventType.UNREACHABLE))
                    .as("an owner that takes its time is waited for")
                    .isZero();
            assertThat(world.sent).doesNotContain(ConnInput.RTU).contains(ConnInput.MRA);
            assertThat(Objects.requireNonNull(ends.active.qp()).state()).isEqualTo(QpState.INIT);
            assertThatThrownBy(() -> ends.active.accept(ConnectParameters.of(new byte[0])))
                    .as("its QP is brought up as the event is taken")
                    .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
            world.clientLooks(true);
            hears(world, world.server, CmEventType.ESTABLISHED);
            assertThat(world.client.count(CmEventType.ESTABLISHED)).isEqualTo(1);
            ends.active.close();
            ends.passive.close();
            ends.listener.close();
        }
    }

    @Test
    void whoGivesUpBeforeItHasTakenTheAnswerWasNeverEstablished() throws Exception {
        try (CmWorld world = new CmWorld()) {
            final Accepted ends = Accepted.in(world);
            world.run(10_000_000L, () -> false);
            ends.active.close();
            hears(world, world.server, CmEventType.REJECTED);
            assertThat(world.server.count(CmEventType.ESTABLISHED)).isZero();
            assertThat(Objects.requireNonNull(ends.passive.qp()).state())
                    .as("it was brought up with the answer")
                    .isEqualTo(QpState.ERR);
            world.clientLooks(true);
            world.run(10_000_000L, () -> false);
            assertThat(world.client.count(CmEventType.ESTABLISHED)).isZero();
            ends.passive.close();
            ends.listener.close();
        }
    }

    /** Who closes before it has heard the RTU says nothing to a stranger that did not ask: the RTU does. */
    @Test
    void whoIsEstablishedWithAPeerThatHasClosedMeanwhileIsTold() throws Exception {
        try (CmWorld world = new CmWorld()) {
            world.judge((index, type) -> Verdict.DELIVER);
            final CmId listener = world.listen();
            final CmId active = world.resolved();
            active.connect(ConnectParameters.of(new byte[0]));
            hears(world, world.server, CmEventType.CONNECT_REQUEST);
            final CmId passive = world.requested();
            passive.accept(ConnectParameters.of(new byte[0]));
            assertThat(world.run(LONG_NS, () -> world.sent.contains(ConnInput.RTU))).isTrue();
            assertThat(world.server.count(CmEventType.ESTABLISHED)).isZero();
            passive.close();
            assertThat(world.sent).doesNotContain(ConnInput.REJ);
            hears(world, world.client, CmEventType.DISCONNECTED);
            assertThat(world.client.count(CmEventType.ESTABLISHED)).isEqualTo(1);
            active.close();
            listener.close();
        }
    }

    @Test
    void anAnswerThatThePeerTookBackMeanwhileIsAnErrorOfTheConnect() throws Exception {
        try (CmWorld world = new CmWorld()) {
            final Accepted ends = Accepted.in(world);
            assertThat(world.run(LONG_NS, () -> world.sent.contains(ConnInput.MRA))).isTrue();
            world.run(10_000_000L, () -> false);
            ends.passive.close();
            assertThat(world.run(LONG_NS, () -> world.sent.contains(ConnInput.REJ))).isTrue();
            world.clientLooks(true);
            hears(world, world.client, CmEventType.CONNECT_ERROR);
            assertThat(Objects.requireNonNull(ends.active.qp()).state()).isEqualTo(QpState.ERR);
            assertThat(world.client.count(CmEventType.ESTABLISHED)).isZero();
            assertThat(world.client.count(CmEventType.REJECTED)).isEqualTo(1);
            ends.active.close();
            ends.listener.close();
        }
    }

    /** As rdma_establish, which tells the passive side alone. */
    @Test
    void whoTakesTheAnswerForAQpOfItsOwnMakingHearsNothingMore() throws Exception {
        try (CmWorld world = new CmWorld()) {
            final CmId listener = world.listen();
            final CmId active = world.client.channel.createId(CmPortSpace.TCP, null);
            active.resolveAddr(null, world.server.address, 1000);
            active.resolveRoute(1000);
            active.connect(new ConnectParameters(new byte[0], 0, 0, 0, 0, 0x77, 0));
            hears(world, world.server, CmEventType.CONNECT_REQUEST);
            final CmId passive = world.requested();
            passive.accept(ConnectParameters.of(new byte[0]));
            hears(world, world.client, CmEventType.CONNECT_RESPONSE);
            active.accept(ConnectParameters.of(new byte[0]));
            hears(world, world.server, CmEventType.ESTABLISHED);
            assertThat(world.run(LONG_NS, () -> world.client.count(CmEventType.ESTABLISHED) > 0))
                    .isFalse();
            active.disconnect();
            hears(world, world.server, CmEventType.DISCONNECTED);
            active.close();
            passive.close();
            listener.close();
        }
    }

    @Test
    void aPeerThatGivesUpTellsThePassiveSide() throws Exception {
        try (CmWorld world = new CmWorld()) {
            final CmId listener = world.listen();
            final CmId active = world.resolved();
            active.connect(ConnectParameters.of(new byte[0]));
            world.run(LONG_NS, () -> world.server.count(CmEventType.CONNECT_REQUEST) > 0);
            active.close();
            hears(world, world.server, CmEventType.REJECTED);
            assertThat(world.server.first(CmEventType.REJECTED).status()).isEqualTo(RejectReason.TIMEOUT);
            world.server.first(CmEventType.CONNECT_REQUEST).id().close();
            listener.close();
        }
    }

    /** The owner, who may be slow to hear of it, has not closed the id yet. */
    @Test
    void aWithdrawnRequestKeepsNobodyOutOfTheBacklog() throws Exception {
        try (CmWorld world = new CmWorld()) {
            final CmId listener = world.listen(1);
            final CmId first = world.resolved();
            first.connect(ConnectParameters.of(new byte[0]));
            hears(world, world.server, CmEventType.CONNECT_REQUEST);
            first.close();
            final CmId second = world.resolved();
            second.connect(ConnectParameters.of(new byte[0]));
            assertThat(world.run(LONG_NS, () -> world.server.count(CmEventType.CONNECT_REQUEST) > 1))
                    .isTrue();
            second.close();
            world.server.events.forEach(event -> event.id().close());
            listener.close();
        }
    }

    @Test
    void aDeadPeerEndsADisconnectInTime() throws Exception {
        try (CmWorld world = new CmWorld()) {
            final CmId listener = world.listen();
            final CmId active = world.resolved();
            active.connect(ConnectParameters.of(new byte[0]));
            world.run(LONG_NS, () -> world.server.count(CmEventType.CONNECT_REQUEST) > 0);
            final CmId passive = world.requested();
            passive.accept(ConnectParameters.of(new byte[0]));
            world.run(LONG_NS, () -> world.server.count(CmEventType.ESTABLISHED) > 0);
            world.judge((index, type) -> Verdict.DROP);
            active.disconnect();
            hears(world, world.client, CmEventType.DISCONNECTED);
            assertThat(world.client.first(CmEventType.DISCONNECTED).status()).isEqualTo(-Errno.ETIMEDOUT);
            assertThat(world.server.count(CmEventType.DISCONNECTED)).isZero();
            active.close();
            passive.close();
            listener.close();
        }
    }

    @Test
    void aDeadDeviceTellsItsIdsAndEverythingCloses() throws Exception {
        try (CmWorld world = new CmWorld()) {
            final CmId listener = world.listen();
            world.server.device.kill();
            assertThat(world.run(1_000_000_000L, () -> world.server.count(CmEventType.DEVICE_REMOVAL) > 0))
                    .isTrue();
            listener.close();
        }
    }

    /** With a listener go the requests that nobody has taken, and no others. */
    @Test
    void aRequestThatWasTakenOutlivesItsListener() throws Exception {
        try (CmWorld world = new CmWorld()) {
            final CmId listener = world.listen();
            final CmId active = world.resolved();
            active.connect(ConnectParameters.of(bytes()));
            hears(world, world.server, CmEventType.CONNECT_REQUEST);
            final CmId passive = world.requested();
            listener.close();
            passive.accept(ConnectParameters.of(bytes()));
            hears(world, world.client, CmEventType.ESTABLISHED);
            active.close();
            passive.close();
        }
    }

    @Test
    void aRequestThatNobodyHasTakenGoesWithItsListener() throws Exception {
        try (CmWorld world = new CmWorld()) {
            final CmId listener = world.listen();
            final CmId active = world.resolved();
            active.connect(ConnectParameters.of(bytes()));
            world.serverLooks(false);
            assertThat(world.run(LONG_NS, () -> world.server.context.halfOpen() > 0)).isTrue();
            listener.close();
            hears(world, world.client, CmEventType.REJECTED);
            active.close();
        }
    }

    /** Its last event is not taken yet, but the request was: the id is its taker's. */
    @Test
    void aRequestThatWasTakenAndWithdrawnOutlivesItsListener() throws Exception {
        try (CmWorld world = new CmWorld()) {
            world.judge((index, type) -> Verdict.DELIVER);
            final CmId listener = world.listen();
            final CmId active = world.resolved();
            active.connect(ConnectParameters.of(bytes()));
            hears(world, world.server, CmEventType.CONNECT_REQUEST);
            final CmId passive = world.requested();
            world.serverLooks(false);
            active.close();
            assertThat(world.run(LONG_NS, () -> world.sent.contains(ConnInput.REJ))).isTrue();
            world.run(10_000_000L, () -> false);
            listener.close();
            world.serverLooks(true);
            hears(world, world.server, CmEventType.REJECTED);
            passive.close();
        }
    }

    /** The peer's link carries less, and what it says of that comes twice. */
    @Test
    void aRejectionOfThePathMtuThatComesAgainEndsNothing() throws Exception {
        for (int which = 0; which < 2; which++) {
            final int at = which;
            try (CmWorld world = new CmWorld()) {
                world.judge((index, type) -> index == at ? Verdict.duplicate(Verdict.DELIVER, 0) : Verdict.DELIVER);
                world.server.device.setMtu(Mtu.MTU_512);
                final CmId listener = world.listen();
                final CmId active = world.resolved();
                active.connect(ConnectParameters.of(bytes()));
                assertThat(world.run(LONG_NS, () -> world.server.count(CmEventType.CONNECT_REQUEST) > 0))
                        .as("message %d doubled", at)
                        .isTrue();
                final CmId passive = world.requested();
                passive.accept(ConnectParameters.of(bytes()));
                assertThat(world.run(LONG_NS, () -> world.client.count(CmEventType.ESTABLISHED) > 0))
                        .as("message %d doubled", at)
                        .isTrue();
                assertThat(world.client.count(CmEventType.REJECTED)).isZero();
                assertThat(Objects.requireNonNull(active.qp()).query().pathMtu()).isEqualTo(Mtu.MTU_512);
                active.close();
                passive.close();
                listener.close();
            }
        }
    }
}
