package io.vhca.physical.soft.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AhAttributes;
import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.Gid;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QpType;
import io.vhca.api.SendFlags;
import io.vhca.api.WcFlags;
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import io.vhca.physical.soft.engine.TestPair.Completion;
import io.vhca.physical.soft.engine.TestPair.Side;
import io.vhca.physical.soft.engine.core.NicCounter;
import io.vhca.physical.soft.engine.queue.SoftCq;
import io.vhca.physical.soft.engine.ud.SoftAh;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Datagrams and management datagrams. */
class UdTest {
    private static final int QKEY = 0x1234;
    private static final int GRH = 40;

    private static SoftQp datagramQp(final Side side, final int qkey) {
        final SoftQp qp = side.pd.createQp(new QpInitAttributes(
                side.sendCq, side.recvCq, null, new QpCapabilities(4, 4, 2, 2, 64), QpType.UD, true));
        qp.modify(new QpAttributes().qpState(QpState.INIT).pkeyIndex(0).portNum(1).qkey(qkey));
        qp.modify(new QpAttributes().qpState(QpState.RTR));
        qp.modify(new QpAttributes().qpState(QpState.RTS).sqPsn(9));
        return qp;
    }

    private static void receive(final Side side, final SoftQp qp, final int size) {
        assertThat(qp.postRecv(side.recv.wrId(3).next(0).sge(side.addr(0), size, side.mr.lkey()))).isEqualTo(1);
    }

    /** One of them fails by itself, the flush of the others overruns the CQ. */
    @Test
    void aFlushThatOverrunsItsQueueEndsInErr() {
        try (TestPair pair = new TestPair()) {
            final SoftCq small = pair.a.nic.createCq(null, 2, null, null);
            final SoftQp from = pair.a.pd.createQp(new QpInitAttributes(
                    small, pair.a.recvCq, null, new QpCapabilities(8, 4, 2, 2, 64), QpType.UD, true));
            from.modify(new QpAttributes().qpState(QpState.INIT).pkeyIndex(0).portNum(1).qkey(QKEY));
            from.modify(new QpAttributes().qpState(QpState.RTR));
            from.modify(new QpAttributes().qpState(QpState.RTS).sqPsn(9));
            final SoftAh ah = pair.a.pd.createAh(AhAttributes.to(TestPair.GID_B));
            for (int i = 0; i < 6; i++) {
                final int lkey = i == 0 ? pair.a.mr.lkey() + 1 : pair.a.mr.lkey();
                assertThat(from.postSend(pair.a.request(WrOpcode.SEND, i, 0, 8)
                                .sge(pair.a.addr(0), 8, lkey)
                                .ud(ah.handle(), 1, QKEY)))
                        .isEqualTo(1);
            }
            pair.run();
            assertThat(from.state()).isEqualTo(QpState.ERR);
            assertThat(pair.a.events).extracting(AsyncEvent::type)
                    .contains(AsyncEventType.CQ_ERR, AsyncEventType.QP_FATAL);
            assertThat(pair.a.count(NicCounter.QP_FAULTS)).isZero();
            from.close();
            small.close();
            ah.close();
        }
    }

    @Test
    void aDrainIsSaidOnceHoweverOftenSomethingIsSetMeanwhile() {
        try (TestPair pair = new TestPair()) {
            final SoftQp qp = datagramQp(pair.a, QKEY);
            qp.modify(new QpAttributes().qpState(QpState.SQD).enSqdAsyncNotify(1));
            pair.run();
            qp.modify(new QpAttributes().qpState(QpState.SQD).qkey(QKEY + 1));
            pair.run();
            assertThat(pair.a.events).extracting(AsyncEvent::type).containsExactly(AsyncEventType.SQ_DRAINED);
            qp.close();
        }
    }

    /** One whose highest bit is set, in a work request (InfiniBand Architecture Specification, volume 1, 10.2.5). */
    @Test
    void aPrivilegedKeyStandsForTheSendersOwn() {
        try (TestPair pair = new TestPair()) {
            final SoftQp from = datagramQp(pair.a, QKEY);
            final SoftQp to = datagramQp(pair.b, QKEY);
            final SoftAh ah = pair.a.pd.createAh(AhAttributes.to(TestPair.GID_B));
            receive(pair.b, to, 1000);
            assertThat(from.postSend(pair.a.request(WrOpcode.SEND, 1, 0, 8).ud(ah.handle(), to.qpNum(), 1 << 31)))
                    .isEqualTo(1);
            pair.run();
            assertThat(pair.b.pollReceives()).hasSize(1);
            assertThat(pair.b.count(NicCounter.DROP_QKEY)).isZero();
            ah.close();
            from.close();
            to.close();
        }
    }

    @Test
    void carriesDatagramsWithHeaderAndImmediate() {
        for (final boolean isIpv6 : new boolean[] {false, true}) {
            final TestPair.Options options = new TestPair.Options();
            if (isIpv6) {
                options.gidA = new Gid(0xfd00L << 48, 1);
                options.gidB = new Gid(0xfd00L << 48, 2);
            }
            try (TestPair pair = new TestPair(options)) {
                final SoftQp from = datagramQp(pair.a, QKEY);
                final SoftQp to = datagramQp(pair.b, QKEY);
                final SoftAh ah = pair.a.pd.createAh(AhAttributes.to(options.gidB));
                receive(pair.b, to, 1000);
                pair.a.fill(0, 333, 8);
                assertThat(from.postSend(pair.a.request(WrOpcode.SEND_WITH_IMM, 1, 0, 333)
                                .immData(77)
                                .ud(ah.handle(), to.qpNum(), QKEY)))
                        .isEqualTo(1);
                pair.run();
                assertThat(pair.a.pollSends()).extracting(Completion::status).containsExactly(WcStatus.SUCCESS);
                final Completion c = pair.b.pollReceives().getFirst();
                assertThat(c.byteLen()).isEqualTo(GRH + 333);
                assertThat(c.srcQp()).isEqualTo(from.qpNum());
                assertThat(c.flags()).isEqualTo(WcFlags.GRH | WcFlags.WITH_IMM);
                assertThat(c.immData()).isEqualTo(77);
                assertThat(pair.b.bytes(GRH, 333)).isEqualTo(pair.a.bytes(0, 333));
                final String grh = HexFormat.of().formatHex(pair.b.bytes(0, GRH));
                if (isIpv6) {
                    assertThat(grh).startsWith("60000000").endsWith(HexFormat.of().toHexDigits(2L));
                } else {
                    // 20 of IP, 8 of UDP, 24 of headers, 333 and 3 of pad, 4 of ICRC; checksum computed by hand.
                    assertThat(grh).isEqualTo("00".repeat(20) + "450001880000400040113b627f0000017f000002");
                }
                ah.close();
                from.close();
                to.close();
            }
        }
    }

    @Test
    void wrongQkeyShortReceiveAndNoReceiveAreDropped() {
        try (TestPair pair = new TestPair()) {
            final SoftQp from = datagramQp(pair.a, QKEY);
            final SoftQp to = datagramQp(pair.b, QKEY);
            final SoftAh ah = pair.a.pd.createAh(AhAttributes.to(TestPair.GID_B));
            pair.a.request(WrOpcode.SEND, 1, 0, 64).sendFlags(SendFlags.INLINE);
            from.postSend(pair.a.send.ud(ah.handle(), to.qpNum(), QKEY));
            pair.run();
            assertThat(pair.b.count(NicCounter.DROP_NO_RECEIVE)).isEqualTo(1);
            receive(pair.b, to, GRH + 63);
            from.postSend(pair.a.send);
            pair.run();
            assertThat(pair.b.count(NicCounter.DROP_NO_RECEIVE)).isEqualTo(2);
            from.postSend(pair.a.send.ud(ah.handle(), to.qpNum(), QKEY + 1));
            pair.run();
            assertThat(pair.b.count(NicCounter.DROP_QKEY)).isEqualTo(1);
            from.postSend(pair.a.send.ud(ah.handle(), pair.b.qp.qpNum(), QKEY));
            pair.run();
            assertThat(pair.b.count(NicCounter.DROP_NO_QP)).isEqualTo(1);
            assertThat(pair.a.pollSends()).hasSize(4).allMatch(c -> c.status() == WcStatus.SUCCESS);
            assertThat(pair.b.pollReceives()).isEmpty();
            ah.close();
            from.postSend(pair.a.send);
            pair.run();
            assertThat(pair.a.pollSends()).extracting(Completion::status).containsExactly(WcStatus.LOC_QP_OP_ERR);
            from.close();
            to.close();
        }
    }

    /** IB spec vol. 1, 10.3.1: a datagram queue that fails to send flushes its sends and goes on receiving. */
    @Test
    void aFailedSendLeadsToSqeAndTheApplicationBackToRts() {
        try (TestPair pair = new TestPair()) {
            final SoftQp from = datagramQp(pair.a, QKEY);
            final SoftQp to = datagramQp(pair.b, QKEY);
            final SoftAh ah = pair.a.pd.createAh(AhAttributes.to(TestPair.GID_B));
            final SoftAh back = pair.b.pd.createAh(AhAttributes.to(TestPair.GID_A));
            for (final WcStatus fault :
                    new WcStatus[] {WcStatus.LOC_LEN_ERR, WcStatus.LOC_QP_OP_ERR, WcStatus.LOC_PROT_ERR}) {
                receive(pair.a, from, GRH + 64);
                pair.a.request(WrOpcode.SEND, 1, 0, fault == WcStatus.LOC_LEN_ERR ? 4097 : 64);
                pair.a.send.ud(fault == WcStatus.LOC_QP_OP_ERR ? 0 : ah.handle(), to.qpNum(), QKEY);
                if (fault == WcStatus.LOC_PROT_ERR) {
                    pair.a.send.sge(pair.a.addr(0), 64, -1);
                }
                final List<QpState> seen = new ArrayList<>();
                pair.a.sendCq.reqNotify(false);
                pair.a.onReport = () -> seen.add(from.state());
                from.postSend(pair.a.send);
                from.postSend(pair.a.request(WrOpcode.SEND, 2, 0, 64).ud(ah.handle(), to.qpNum(), QKEY));
                pair.run();
                pair.a.onReport = () -> {};
                assertThat(seen).as("when its completion is there").containsExactly(QpState.SQE);
                assertThat(from.state()).as("%s", fault).isEqualTo(QpState.SQE);
                assertThat(from.postSend(pair.a.send.wrId(3))).as("flushed, not refused").isEqualTo(1);
                pair.run();
                assertThat(pair.a.pollSends()).extracting(Completion::status)
                        .containsExactly(fault, WcStatus.WR_FLUSH_ERR, WcStatus.WR_FLUSH_ERR);

                to.postSend(pair.b.request(WrOpcode.SEND, 4, 0, 64).ud(back.handle(), from.qpNum(), QKEY));
                pair.run();
                assertThat(pair.a.pollReceives()).as("receives go on").extracting(Completion::status)
                        .containsExactly(WcStatus.SUCCESS);

                from.postSend(pair.a.send.wrId(5));
                from.modify(new QpAttributes().qpState(QpState.RTS).qkey(QKEY));
                receive(pair.b, to, GRH + 64);
                from.postSend(pair.a.send.wrId(6));
                pair.run();
                assertThat(pair.a.pollSends()).as("posted in SQE, posted in RTS").extracting(Completion::status)
                        .containsExactly(WcStatus.WR_FLUSH_ERR, WcStatus.SUCCESS);
                assertThat(pair.b.pollReceives()).hasSize(1);
                pair.b.pollSends();
            }
            assertThat(pair.a.events).as("no event of its own").isEmpty();
            from.modify(new QpAttributes().qpState(QpState.ERR));
            from.close();
            to.close();
            back.close();
            ah.close();
        }
    }

    @Test
    void managementDatagramsReachTheListener() {
        try (TestPair pair = new TestPair()) {
            final byte[] mad = new byte[256];
            for (int i = 0; i < mad.length; i++) {
                mad[i] = (byte) i;
            }
            final MemorySegment segment = pair.arena.allocate(256);
            MemorySegment.copy(mad, 0, segment, ValueLayout.JAVA_BYTE, 0, 256);
            pair.a.nic.sendMad(TestPair.GID_B, segment.address());
            pair.run();
            assertThat(pair.b.mads).hasSize(1);
            assertThat(pair.b.mads.getFirst()).isEqualTo(mad);
            assertThat(pair.a.mads).isEmpty();
        }
    }
}
