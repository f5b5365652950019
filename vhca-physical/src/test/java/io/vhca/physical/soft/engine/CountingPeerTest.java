package io.vhca.physical.soft.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import io.vhca.physical.soft.engine.TestPair.Completion;
import io.vhca.physical.soft.engine.core.NicCounter;
import io.vhca.physical.soft.wire.IpIdentification;
import io.vhca.physical.soft.wire.Wire;
import org.junit.jupiter.api.Test;

/** A peer whose packets carry an IP identification that counts, as those of Linux's rxe do. */
class CountingPeerTest {
    private static TestPair counting(final int first) {
        final TestPair pair = new TestPair();
        pair.link.a.nextIdentification = first;
        return pair;
    }

    private static void exchange(final TestPair pair, final int messages) {
        for (int i = 0; i < messages; i++) {
            pair.b.postRecv(i, 0, 600);
            pair.a.fill(1000, 600, i);
            pair.a.post(pair.a.request(WrOpcode.SEND, i, 1000, 600));
            pair.settle();
            assertThat(pair.b.pollReceives()).extracting(Completion::status).containsExactly(WcStatus.SUCCESS);
            assertThat(pair.a.pollSends()).extracting(Completion::status).containsExactly(WcStatus.SUCCESS);
            assertThat(pair.b.bytes(0, 600)).isEqualTo(pair.a.bytes(1000, 600));
        }
    }

    @Test
    void isUnderstoodAlsoWhereTheCountBeginsAnew() {
        try (TestPair pair = counting(0xffc0)) {
            exchange(pair, 50);
            // Three packets a message, one of all of them with identification 0.
            assertThat(pair.b.count(NicCounter.RX_IDENTIFIED)).isEqualTo(149);
            assertThat(pair.b.count(NicCounter.RX_PACKETS)).isEqualTo(150);
            assertThat(pair.a.count(NicCounter.RETRANSMITS)).isZero();
            assertThat(pair.a.count(NicCounter.RX_IDENTIFIED)).isZero();
        }
    }

    @Test
    void losesDoublesAndOvertakesAsAnyOther() {
        try (TestPair pair = counting(20_000)) {
            pair.link.fates = (direction, number, opcode) -> switch (number % 7) {
                case 2 -> TestLink.Fate.DROP;
                case 4 -> TestLink.Fate.DOUBLE;
                case 6 -> TestLink.Fate.OVERTAKEN;
                default -> TestLink.Fate.PASS;
            };
            exchange(pair, 100);
            assertThat(pair.b.count(NicCounter.DROP_ICRC)).isZero();
            assertThat(pair.b.count(NicCounter.DROP_IDENTIFICATION)).isZero();
        }
    }

    @Test
    void damageIsFoundThoughTheIdentificationIsOpen() {
        try (TestPair pair = counting(40_000)) {
            exchange(pair, 1);
            pair.b.postRecv(1, 0, 600);
            pair.a.post(pair.a.request(WrOpcode.SEND, 1, 1000, 600));
            final int[] turned = {0};
            // One bit of each packet, another one each time: payload, headers, ICRC. The DestQP's reserved byte and
            // nothing else is not covered.
            pair.link.a.spoiler = packet -> {
                final int bit = turned[0] * 13 % (packet.length * Byte.SIZE);
                turned[0]++;
                packet[bit / Byte.SIZE == 4 ? 5 : bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            };
            pair.settle();
            assertThat(pair.a.pollSends()).extracting(Completion::status).containsExactly(WcStatus.RETRY_EXC_ERR);
            assertThat(pair.b.pollReceives()).isEmpty();
            assertThat(turned[0]).isGreaterThan(9);
            assertThat(pair.b.count(NicCounter.DROP_ICRC)
                            + pair.b.count(NicCounter.DROP_IDENTIFICATION)
                            + pair.b.count(NicCounter.DROP_MALFORMED))
                    .isEqualTo(turned[0]);
        }
    }

    @Test
    void onlyTheFirstPacketBehindAJumpIsLost() {
        try (TestPair pair = counting(1_000)) {
            exchange(pair, 1);
            pair.link.a.nextIdentification = 33_000;
            exchange(pair, 1);
            assertThat(pair.b.count(NicCounter.DROP_IDENTIFICATION)).isEqualTo(1);
            assertThat(pair.b.count(NicCounter.OUT_OF_ORDER)).isPositive();
        }
    }

    /** Damage that an identification would explain does not pass where the peer is known to leave that 0. */
    @Test
    void aPeerThatDoesNotCountIsHeldToIt() {
        try (TestPair pair = new TestPair()) {
            exchange(pair, 1);
            pair.link.a.spoiler = packet -> {
                final int effect = IpIdentification.effect(7, packet.length - Wire.ICRC_BYTES);
                for (int i = 0; i < Wire.ICRC_BYTES; i++) {
                    packet[packet.length - Wire.ICRC_BYTES + i] ^= (byte) (effect >>> Byte.SIZE * i);
                }
                pair.link.a.spoiler = next -> { };
            };
            exchange(pair, 1);
            assertThat(pair.b.count(NicCounter.DROP_IDENTIFICATION)).isEqualTo(1);
            assertThat(pair.b.count(NicCounter.RX_IDENTIFIED)).isZero();
        }
    }
}
