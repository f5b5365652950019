package io.vhca.harness.drill.child;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** A datagram of a drill is told from every other one, and from itself with a byte that is wrong. */
class RdpDatagramTest {
    private final ByteBuffer datagram = RdpDatagram.buffer();

    @Test
    void whatWasWrittenIsRightAndNothingElseIs() {
        int longest = 0;
        for (int number = 0; number < 256; number++) {
            RdpDatagram.write(datagram, 3, number);
            longest = Math.max(longest, datagram.remaining());
            assertThat(RdpDatagram.isRight(datagram, 3, number)).isTrue();
            assertThat(RdpDatagram.isRight(datagram, 4, number)).isFalse();
            assertThat(RdpDatagram.isRight(datagram, 3, number + 1)).isFalse();
            final int last = datagram.limit() - 1;
            datagram.put(last, (byte) ~datagram.get(last));
            assertThat(RdpDatagram.isRight(datagram, 3, number)).as("number %d", number).isFalse();
        }
        assertThat(longest).as("longer than one segment").isGreaterThan(32 << 10);
    }

    @Test
    void oneThatWasCutOffIsWrong() {
        RdpDatagram.write(datagram, 1, 7);
        datagram.limit(4);
        assertThat(RdpDatagram.isRight(datagram, 1, 7)).isFalse();
    }
}
