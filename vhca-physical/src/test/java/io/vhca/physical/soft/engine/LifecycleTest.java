package io.vhca.physical.soft.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.AhAttributes;
import io.vhca.api.AsyncEventType;
import io.vhca.api.Errno;
import io.vhca.api.Mtu;
import io.vhca.api.PortState;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QpType;
import io.vhca.api.SendFlags;
import io.vhca.api.SrqAttributes;
import io.vhca.api.VerbsException;
import io.vhca.api.WcStatus;
import io.vhca.api.WorkCompletion;
import io.vhca.api.WrOpcode;
import io.vhca.physical.soft.engine.TestLink.Fate;
import io.vhca.physical.soft.engine.TestPair.Completion;
import io.vhca.physical.soft.engine.core.NicCounter;
import io.vhca.physical.soft.engine.queue.SoftSrq;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** States, flushes, overruns, dead ports and dead devices, and the end of objects. */
class LifecycleTest {
    private static List<Long> ids(final List<Completion> completions) {
        return completions.stream().map(Completion::wrId).toList();
    }

    @Test
    void errorFlushesEverythingInOrderAlsoWhatComesLater() {
        try (TestPair pair = new TestPair()) {
            pair.link.fates = (way, number, opcode) -> Fate.DROP;
            for (int i = 0; i < 10; i++) {
                pair.a.post(pair.a.request(WrOpcode.SEND, i, 0, 600).sendFlags(0));
                pair.a.postRecv(100 + i, 0, 10);
            }
            pair.run();
            pair.a.qp.modify(new QpAttributes().qpState(QpState.ERR));
            pair.a.post(pair.a.request(WrOpcode.SEND, 10, 0, 600));
            pair.a.postRecv(110, 0, 10);
            pair.run();
            final List<Completion> sends = pair.a.pollSends();
            assertThat(ids(sends)).containsExactlyElementsOf(LongStream.rangeClosed(0, 10).boxed().toList());
            assertThat(sends).allMatch(c -> c.status() == WcStatus.WR_FLUSH_ERR);
            final List<Completion> receives = pair.a.pollReceives();
            assertThat(ids(receives)).containsExactlyElementsOf(LongStream.rangeClosed(100, 110).boxed().toList());
            assertThat(receives).allMatch(c -> c.status() == WcStatus.WR_FLUSH_ERR);
            assertThat(pair.a.events).isEmpty();
            assertThat(pair.a.nic.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
        }
    }

    @Test
    void halfReceivedMessageIsFlushedFirst() {
        try (TestPair pair = new TestPair()) {
            pair.link.fates = (way, number, opcode) ->
                    way == TestLink.A_TO_B && number >= 2 ? Fate.DROP : Fate.PASS;
            pair.b.postRecv(1, 0, 1000);
            pair.b.postRecv(2, 0, 1000);
            pair.a.post(pair.a.request(WrOpcode.SEND, 1, 0, 1000));
            pair.run();
            pair.b.qp.modify(new QpAttributes().qpState(QpState.ERR));
            pair.run();
            assertThat(ids(pair.b.pollReceives())).containsExactly(1L, 2L);
        }
    }

    @Test
    void resetForgetsAndTheQueuePairServesAgain() {
        try (TestPair pair = new TestPair()) {
            pair.b.postRecv(1, 0, 100);
            pair.a.post(pair.a.request(WrOpcode.SEND, 1, 0, 10));
            pair.run();
            pair.a.postRecv(5, 0, 100);
            for (final TestPair.Side side : List.of(pair.a, pair.b)) {
                side.qp.modify(new QpAttributes().qpState(QpState.RESET));
                assertThat(side.pollSends()).isEmpty();
                assertThat(side.pollReceives()).isEmpty();
                assertThat(side.qp.postSend(side.request(WrOpcode.SEND, 1, 0, 10))).isEqualTo(-Errno.EINVAL);
            }
            pair.connect(pair.a.qp, TestPair.GID_B, pair.b.qp.qpNum(), 5, 6, TestPair.ALL_ACCESS);
            pair.connect(pair.b.qp, TestPair.GID_A, pair.a.qp.qpNum(), 6, 5, TestPair.ALL_ACCESS);
            pair.b.postRecv(2, 0, 100);
            pair.a.post(pair.a.request(WrOpcode.SEND, 2, 0, 10));
            pair.settle();
            assertThat(ids(pair.a.pollSends())).containsExactly(2L);
            assertThat(ids(pair.b.pollReceives())).containsExactly(2L);
        }
    }

    @Test
    void illegalModifyChangesNothing() {
        try (TestPair pair = new TestPair()) {
            assertThatThrownBy(() -> pair.a.qp.modify(new QpAttributes().qpState(QpState.INIT)))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("cannot go from RTS to INIT");
            assertThatThrownBy(() -> pair.a.qp.modify(new QpAttributes().timeout(3)))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("TIMEOUT");
            assertThat(pair.a.qp.state()).isEqualTo(QpState.RTS);
            assertThat(pair.a.qp.query().timeout()).isEqualTo(pair.options.timeout);
        }
    }

    @Test
    void fullQueueAndBadRequestsAreRefused() {
        try (TestPair pair = new TestPair()) {
            pair.link.fates = (way, number, opcode) -> Fate.DROP;
            for (int i = 0; i < pair.options.maxWr; i++) {
                pair.a.post(pair.a.request(WrOpcode.SEND, i, 0, 10));
                pair.a.postRecv(i, 0, 10);
            }
            assertThat(pair.a.qp.postSend(pair.a.request(WrOpcode.SEND, 1, 0, 10))).isEqualTo(-Errno.ENOMEM);
            assertThat(pair.a.qp.postRecv(pair.a.recv)).isEqualTo(-Errno.ENOMEM);
            pair.a.send.opcode(WrOpcode.BIND_MW);
            assertThat(pair.b.qp.postSend(pair.a.send)).isEqualTo(-Errno.EOPNOTSUPP);
            assertThat(pair.b.qp.postSend(pair.b.request(WrOpcode.SEND, 1, 0, 10).numSge(5)))
                    .isEqualTo(-Errno.EINVAL);
            assertThat(pair.b.qp.postSend(pair.b.request(WrOpcode.SEND, 1, 0, 65).sendFlags(SendFlags.INLINE)))
                    .isEqualTo(-Errno.EINVAL);
        }
    }

    @Test
    void overrunIsFinal() {
        final TestPair.Options options = new TestPair.Options();
        options.cqe = 3;
        try (TestPair pair = new TestPair(options)) {
            for (int i = 0; i < 5; i++) {
                pair.b.postRecv(i, 0, 10);
                pair.a.post(pair.a.request(WrOpcode.SEND, i, 0, 10));
                pair.run();
            }
            assertThat(pair.b.eventTypes()).containsExactly(AsyncEventType.CQ_ERR, AsyncEventType.QP_FATAL);
            final WorkCompletion wc = WorkCompletion.allocate(pair.arena, 4);
            assertThat(pair.b.recvCq.poll(wc)).isEqualTo(-Errno.EIO);
            assertThat(pair.b.qp.state()).isEqualTo(QpState.ERR);
            assertThat(pair.b.count(NicCounter.CQ_OVERRUNS)).isPositive();
        }
    }

    @Test
    void resizeKeepsWhatWaitsAndRingWraps() {
        final TestPair.Options options = new TestPair.Options();
        options.cqe = 3;
        try (TestPair pair = new TestPair(options)) {
            for (int i = 0; i < 20; i++) {
                pair.b.postRecv(i, 0, 10);
                pair.a.post(pair.a.request(WrOpcode.SEND, i, 0, 10));
                pair.run();
                if (i == 8) {
                    assertThatThrownBy(() -> pair.a.sendCq.resize(0)).isInstanceOf(VerbsException.class);
                    pair.a.sendCq.resize(9);
                }
                assertThat(ids(pair.b.pollReceives())).containsExactly((long) i);
                if (i < 8 || i > 10) {
                    assertThat(ids(pair.a.pollSends())).endsWith((long) i);
                }
            }
            assertThat(pair.a.events).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void armedQueueNotifiesOnce(final boolean solicitedOnly) {
        try (TestPair pair = new TestPair()) {
            pair.b.recvCq.reqNotify(solicitedOnly);
            for (int i = 0; i < 3; i++) {
                pair.b.postRecv(i, 0, 10);
                pair.a.post(pair.a.request(WrOpcode.SEND, i, 0, 10).sendFlags(i == 1 ? SendFlags.SOLICITED : 0));
                pair.run();
                assertThat(pair.b.cqEvents).isEqualTo(solicitedOnly && i == 0 ? 0 : 1);
            }
        }
    }

    @Test
    void theFirstRequestToAQueuePairInRtrEstablishesItOnce() {
        final TestPair.Options options = new TestPair.Options();
        options.isConnected = false;
        try (TestPair pair = new TestPair(options)) {
            pair.connect(pair.a.qp, TestPair.GID_B, pair.b.qp.qpNum(), 1, 1, 0);
            pair.b.qp.modify(new QpAttributes().qpState(QpState.INIT).pkeyIndex(0).portNum(1).accessFlags(0));
            pair.b.qp.modify(new QpAttributes()
                    .qpState(QpState.RTR)
                    .ah(AhAttributes.to(TestPair.GID_A))
                    .pathMtu(Mtu.MTU_256)
                    .destQpNum(pair.a.qp.qpNum())
                    .rqPsn(1)
                    .maxDestRdAtomic(1)
                    .minRnrTimer(12));
            for (int i = 0; i < 3; i++) {
                pair.b.postRecv(i, 0, 10);
                pair.a.post(pair.a.request(WrOpcode.SEND, i, 0, 10));
                pair.run();
                assertThat(pair.b.eventTypes()).containsExactly(AsyncEventType.COMM_EST);
            }
            assertThat(pair.b.events.getFirst().qp()).isSameAs(pair.b.qp);
            assertThat(ids(pair.b.pollReceives())).containsExactly(0L, 1L, 2L);
            assertThat(pair.a.events).as("who is in RTS needs no telling").isEmpty();
            assertThat(pair.b.firstRequests).containsExactly(pair.b.qp.qpNum());
            assertThat(pair.a.firstRequests).isEmpty();
        }
    }

    @Test
    void deadPortCarriesNothingAndSaysSo() {
        final TestPair.Options options = new TestPair.Options();
        options.config.portCheckIntervalNs(0);
        try (TestPair pair = new TestPair(options)) {
            pair.b.postRecv(1, 0, 10);
            pair.link.a.isUp = false;
            pair.run();
            assertThat(pair.a.eventTypes()).containsExactly(AsyncEventType.PORT_ERR);
            assertThat(pair.a.nic.queryPort(1).state()).isEqualTo(PortState.DOWN);
            pair.a.post(pair.a.request(WrOpcode.SEND, 1, 0, 10));
            pair.run();
            assertThat(pair.a.count(NicCounter.DROP_PORT_DOWN)).isEqualTo(1);
            pair.link.a.isUp = true;
            pair.settle();
            assertThat(ids(pair.a.pollSends())).containsExactly(1L);
            pair.b.nic.setPort(false);
            pair.b.nic.setPort(false);
            pair.a.post(pair.a.request(WrOpcode.SEND, 2, 0, 10));
            final long start = pair.now;
            pair.settle();
            assertThat(pair.now - start).isEqualTo(4 * (4_096L << pair.options.timeout));
            assertThat(pair.a.pollSends()).extracting(Completion::status).containsExactly(WcStatus.RETRY_EXC_ERR);
            pair.b.nic.setPort(true);
            assertThat(pair.a.eventTypes()).containsExactly(AsyncEventType.PORT_ERR, AsyncEventType.PORT_ACTIVE);
            assertThat(pair.b.eventTypes()).containsExactly(AsyncEventType.PORT_ERR, AsyncEventType.PORT_ACTIVE);
            assertThat(pair.b.count(NicCounter.DROP_PORT_DOWN)).isPositive();
        }
    }

    @Test
    void deadDeviceIsAZombie() {
        try (TestPair pair = new TestPair()) {
            pair.link.fates = (way, number, opcode) -> Fate.DROP;
            pair.a.post(pair.a.request(WrOpcode.SEND, 1, 0, 10));
            pair.a.postRecv(2, 0, 10);
            pair.run();
            pair.a.nic.kill();
            pair.a.nic.kill();
            assertThat(pair.a.eventTypes()).containsExactly(AsyncEventType.DEVICE_FATAL);
            assertThat(pair.a.pollSends()).extracting(Completion::status).containsExactly(WcStatus.WR_FLUSH_ERR);
            assertThat(pair.a.pollReceives()).extracting(Completion::status).containsExactly(WcStatus.WR_FLUSH_ERR);
            assertThat(pair.a.qp.postSend(pair.a.send)).isEqualTo(-Errno.EIO);
            assertThat(pair.a.qp.postRecv(pair.a.recv)).isEqualTo(-Errno.EIO);
            for (final Runnable verb : List.<Runnable>of(
                    () -> pair.a.nic.allocPd(null),
                    () -> pair.a.nic.queryPort(1),
                    () -> pair.a.nic.createCq(null, 1, null, null),
                    () -> pair.a.pd.regMr(pair.a.memory, 0),
                    () -> pair.a.qp.modify(new QpAttributes().qpState(QpState.RESET)),
                    () -> pair.a.qp.query())) {
                assertThatThrownBy(verb::run)
                        .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EIO));
            }
            pair.run();
        }
    }

    @Test
    void objectsInUseStayAndTheRestCloseInAnyOrder() {
        try (TestPair pair = new TestPair()) {
            assertThatThrownBy(pair.a.pd::close).hasMessageContaining("EBUSY");
            assertThatThrownBy(pair.a.sendCq::close).hasMessageContaining("EBUSY");
            assertThatThrownBy(pair.a.nic::close).hasMessageContaining("EBUSY");
            pair.a.post(pair.a.request(WrOpcode.SEND, 1, 0, 600));
            pair.a.nic.doWork(pair.now);
            pair.a.qp.close();
            pair.a.qp.close();
            pair.run();
            assertThat(pair.a.qp.postSend(pair.a.send)).isEqualTo(-Errno.EINVAL);
            assertThat(pair.a.count(NicCounter.DROP_NO_QP)).isPositive();
            pair.a.mr.close();
            pair.b.mr.close();
        }
    }

    @Test
    void queuePairNumbersAreNotReusedSoon() {
        try (TestPair pair = new TestPair()) {
            final Set<Integer> numbers = new HashSet<>();
            final List<SoftQp> open = new ArrayList<>();
            for (int i = 0; i < 2000; i++) {
                final SoftQp qp = pair.a.pd.createQp(QpInitAttributes.rc(
                        pair.a.sendCq, pair.a.recvCq, new QpCapabilities(1, 1, 1, 1, 0)));
                assertThat(numbers.add(qp.qpNum())).isTrue();
                if (i % 20 == 0) {
                    open.add(qp);
                } else {
                    qp.close();
                }
            }
            open.forEach(SoftQp::close);
        }
    }

    @Test
    void queuePairNumbersDoNotCount() {
        try (TestPair pair = new TestPair()) {
            int last = pair.a.qp.qpNum();
            int near = 0;
            for (int i = 0; i < 200; i++) {
                final SoftQp qp = pair.a.pd.createQp(pair.rc(pair.a));
                near += Math.abs(qp.qpNum() - last) < 1 << 12 ? 1 : 0;
                last = qp.qpNum();
                qp.close();
            }
            assertThat(near).isLessThan(3);
        }
    }

    @Test
    void sharedReceiveQueueServesAndWarns() {
        try (TestPair pair = new TestPair()) {
            final SoftSrq srq = pair.b.pd.createSrq(new SrqAttributes(8, 1, 0));
            final SoftQp qp = pair.b.pd.createQp(new QpInitAttributes(
                    pair.b.sendCq, pair.b.recvCq, srq, new QpCapabilities(1, 0, 1, 0, 0), QpType.RC, true));
            pair.a.qp.modify(new QpAttributes().qpState(QpState.RESET));
            pair.connect(pair.a.qp, TestPair.GID_B, qp.qpNum(), 1, 1, 0);
            pair.connect(qp, TestPair.GID_A, pair.a.qp.qpNum(), 1, 1, 0);
            for (int i = 0; i < 4; i++) {
                assertThat(srq.postRecv(pair.b.recv.wrId(i).sge(pair.b.addr(0), 100, pair.b.mr.lkey()))).isEqualTo(1);
            }
            srq.armLimit(3);
            for (int i = 0; i < 2; i++) {
                pair.a.post(pair.a.request(WrOpcode.SEND, i, 0, 10));
                pair.settle();
            }
            assertThat(ids(pair.b.pollReceives())).containsExactly(0L, 1L);
            assertThat(pair.b.eventTypes()).containsExactly(AsyncEventType.SRQ_LIMIT_REACHED);
            assertThatThrownBy(srq::close).hasMessageContaining("EBUSY");
            qp.modify(new QpAttributes().qpState(QpState.ERR));
            assertThat(pair.b.eventTypes()).endsWith(AsyncEventType.QP_LAST_WQE_REACHED);
            qp.close();
            srq.close();
        }
    }

    @Test
    void acknowledgedAndNotPlacedIsLostWithTheDevice() {
        for (final boolean isPortOnly : new boolean[] {false, true}) {
            final TestPair.Options options = new TestPair.Options();
            options.config.ackBeforePlacingMessages(2);
            try (TestPair pair = new TestPair(options)) {
                pair.a.fill(0, 600, 1);
                for (int i = 0; i < 5; i++) {
                    pair.b.postRecv(i, 1024 * (i + 1), 600);
                    pair.a.post(pair.a.request(WrOpcode.SEND, i, 0, 600));
                }
                pair.run();
                assertThat(pair.a.pollSends()).hasSize(5).allMatch(c -> c.status() == WcStatus.SUCCESS);
                assertThat(ids(pair.b.pollReceives())).containsExactly(0L, 1L, 2L);
                if (isPortOnly) {
                    pair.b.nic.setPort(false);
                } else {
                    pair.b.nic.kill();
                }
                assertThat(pair.b.pollReceives())
                        .extracting(Completion::status)
                        .containsExactly(WcStatus.WR_FLUSH_ERR, WcStatus.WR_FLUSH_ERR);
                assertThat(pair.b.bytes(1024 * 3, 600)).isEqualTo(pair.a.bytes(0, 600));
                assertThat(pair.b.bytes(1024 * 4, 600)).isEqualTo(new byte[600]);
                assertThat(pair.b.count(NicCounter.LOST_AFTER_ACK)).isEqualTo(2);
            }
        }
    }

    @Test
    void acknowledgedIsPlacedInTimeAndByAFence() {
        final TestPair.Options options = new TestPair.Options();
        options.config.ackBeforePlacingMessages(4);
        try (TestPair pair = new TestPair(options)) {
            pair.a.fill(0, 600, 1);
            pair.b.postRecv(1, 1024, 600);
            pair.b.postRecv(2, 2048, 600);
            pair.a.post(pair.a.request(WrOpcode.SEND, 1, 0, 600));
            pair.run();
            assertThat(pair.b.pollReceives()).isEmpty();
            final long start = pair.now;
            pair.settle();
            assertThat(pair.now - start).isEqualTo(options.config.placeDelayNs());
            assertThat(ids(pair.b.pollReceives())).containsExactly(1L);
            assertThat(pair.b.bytes(1024, 600)).isEqualTo(pair.a.bytes(0, 600));
            pair.a.post(pair.a.request(WrOpcode.SEND, 2, 0, 600));
            pair.run();
            pair.b.qp.modify(new QpAttributes().qpState(QpState.ERR));
            assertThat(pair.b.pollReceives()).extracting(Completion::status).containsExactly(WcStatus.SUCCESS);
            assertThat(pair.b.bytes(2048, 600)).isEqualTo(pair.a.bytes(0, 600));
        }
    }
}
