package io.vhca.physical.soft.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.ServiceClass;
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import io.vhca.physical.soft.engine.TestPair.Completion;
import io.vhca.physical.soft.engine.core.NicCounter;
import io.vhca.physical.soft.wire.Opcodes;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Marked packets are answered by notifications, and who is notified has less in flight. */
class CongestionTest {
    private static final int TARGET = 32 * 1024;
    private static final int PACKETS = 100;
    private static final int MTU = 256;
    private static final int CNP = Opcodes.CONGESTION_NOTIFICATION;
    /** DSCP 26 and ECT(0): packets may be marked. */
    private static final int MARKABLE = 26 << 2 | 2;

    private final List<byte[]> notifications = new ArrayList<>();

    private TestPair pair(final int trafficClass) {
        final TestPair.Options options = new TestPair.Options();
        options.trafficClass = trafficClass;
        final TestPair pair = new TestPair(options);
        pair.link.b.arrivesWith = trafficClass | ServiceClass.CONGESTED;
        pair.link.b.spoiler = packet -> {
            if ((packet[0] & 0xff) == CNP) {
                notifications.add(packet.clone());
            }
        };
        return pair;
    }

    private static void write(final TestPair pair, final int packets) {
        pair.a.post(pair.a.request(WrOpcode.RDMA_WRITE, 1, 0, packets * MTU)
                .rdma(pair.b.addr(TARGET), pair.b.mr.rkey()));
        pair.settle();
        assertThat(pair.a.pollSends()).extracting(Completion::status).containsExactly(WcStatus.SUCCESS);
    }

    /** The longest row of packets of A without one of B between, while A sends one WRITE. */
    private static int longestBurst(final TestPair pair, final int packets) {
        final int[] burst = new int[2];
        pair.link.fates = (direction, number, opcode) -> {
            burst[0] = direction == TestLink.A_TO_B ? burst[0] + 1 : 0;
            burst[1] = Math.max(burst[0], burst[1]);
            return TestLink.Fate.PASS;
        };
        write(pair, packets);
        return burst[1];
    }

    @Test
    void aMarkedPacketIsAnsweredByOneNotificationInAnInterval() {
        try (TestPair pair = pair(MARKABLE)) {
            write(pair, 3);
            assertThat(pair.b.count(NicCounter.NP_ECN_MARKED_ROCE_PACKETS)).isEqualTo(3);
            assertThat(pair.b.count(NicCounter.NP_CNP_SENT)).isEqualTo(1);
            assertThat(pair.a.count(NicCounter.RP_CNP_HANDLED)).isEqualTo(1);
            pair.now += 49_999;
            write(pair, 1);
            assertThat(pair.b.count(NicCounter.NP_CNP_SENT)).isEqualTo(1);
            pair.now += 1;
            write(pair, 1);
            assertThat(pair.b.count(NicCounter.NP_CNP_SENT)).isEqualTo(2);
            assertThat(pair.a.count(NicCounter.RP_CNP_HANDLED)).isEqualTo(2);
        }
    }

    /** BTH with opcode 0x81, BECN, PSN 0; 16 bytes of zero; ICRC. */
    @Test
    void aNotificationLooksAsRoceWantsIt() {
        try (TestPair pair = pair(MARKABLE)) {
            write(pair, 1);
            final int qp = pair.a.qp.qpNum();
            assertThat(notifications).hasSize(1);
            final byte[] packet = notifications.getFirst();
            assertThat(packet).hasSize(12 + 16 + 4).startsWith(
                    0x81, 0x40, 0xff, 0xff, 0x40, qp >>> 16 & 0xff, qp >>> 8 & 0xff, qp & 0xff, 0, 0, 0, 0,
                    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        }
    }

    @Test
    void whoIsNotifiedHasLessInFlightAndThenAllAgain() {
        try (TestPair pair = pair(MARKABLE)) {
            pair.link.b.arrivesWith = MARKABLE;
            final int usual = longestBurst(pair, PACKETS);
            pair.link.b.arrivesWith = MARKABLE | ServiceClass.CONGESTED;
            for (int i = 0; i < 12; i++) {
                write(pair, 1);
                pair.now += 55_000;
            }
            pair.link.b.arrivesWith = MARKABLE;
            pair.now -= 55_000;
            final int slowed = longestBurst(pair, PACKETS);
            assertThat(slowed).isLessThan(usual / 2);
            pair.now += 10_000_000;
            write(pair, 1);
            assertThat(longestBurst(pair, PACKETS)).isEqualTo(usual);
            assertThat(pair.a.count(NicCounter.TIMEOUTS)).isZero();
            assertThat(pair.a.count(NicCounter.RETRANSMITS)).isZero();
        }
    }

    /** It is counted, and that is all: a stranger who can send such packets slows nobody who did not ask for it. */
    @Test
    void whoAskedForNoMarksDoesNotSlow() {
        try (TestPair pair = pair(0)) {
            pair.link.b.arrivesWith = 0;
            final int usual = longestBurst(pair, PACKETS);
            pair.link.b.arrivesWith = ServiceClass.CONGESTED;
            for (int i = 0; i < 12; i++) {
                write(pair, 1);
                pair.now += 55_000;
            }
            assertThat(pair.a.count(NicCounter.RP_CNP_HANDLED)).isEqualTo(12);
            assertThat(longestBurst(pair, PACKETS)).isEqualTo(usual);
        }
    }

    @Test
    void dataOfReadsThatIsMarkedSlowsWhoAsks() {
        try (TestPair pair = pair(MARKABLE)) {
            pair.link.b.arrivesWith = MARKABLE;
            pair.link.a.arrivesWith = MARKABLE | ServiceClass.CONGESTED;
            for (int i = 0; i < 12; i++) {
                pair.a.post(pair.a.request(WrOpcode.RDMA_READ, i, 0, MTU)
                        .rdma(pair.b.addr(TARGET), pair.b.mr.rkey()));
                pair.run();
                pair.now += 55_000;
            }
            assertThat(pair.a.pollSends()).hasSize(12);
            assertThat(pair.a.count(NicCounter.NP_CNP_SENT)).isEqualTo(12);
            assertThat(pair.b.count(NicCounter.RP_CNP_HANDLED)).isEqualTo(12);
            pair.link.a.arrivesWith = MARKABLE;
            pair.now -= 55_000;
            assertThat(longestBurst(pair, PACKETS)).isLessThan(16);
        }
    }
}
