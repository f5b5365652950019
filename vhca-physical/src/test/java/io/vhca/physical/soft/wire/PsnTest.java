package io.vhca.physical.soft.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PsnTest {
    @Test
    void differenceIsSignedAndWraps() {
        assertThat(Psn.difference(5, 3)).isEqualTo(2);
        assertThat(Psn.difference(3, 5)).isEqualTo(-2);
        assertThat(Psn.difference(0, 0xff_ffff)).isEqualTo(1);
        assertThat(Psn.difference(0xff_ffff, 0)).isEqualTo(-1);
        assertThat(Psn.difference(0x7f_ffff, 0)).isEqualTo(0x7f_ffff);
        assertThat(Psn.difference(0x80_0000, 0)).isEqualTo(-0x80_0000);
    }

    @Test
    void sequenceNearFindsTheSequenceOnBothSidesOfEveryWrap() {
        for (long wrap = 0; wrap < 4; wrap++) {
            final long reference = wrap << 24;
            for (int delta = -300; delta <= 300; delta++) {
                assertThat(Psn.sequenceNear(Psn.of(reference + delta), reference)).isEqualTo(reference + delta);
            }
        }
    }

    @Test
    void rnrTimersAreTheTablesOwn() {
        assertThat(Syndrome.rnrTimerNs(0)).isEqualTo(655_360_000);
        assertThat(Syndrome.rnrTimerNs(1)).isEqualTo(10_000);
        assertThat(Syndrome.rnrTimerNs(Syndrome.RNR_NAK | 12)).isEqualTo(640_000);
        assertThat(Syndrome.rnrTimerNs(31)).isEqualTo(491_520_000);
    }

    @Test
    void headersHaveTheSizesOfTheSpecification() {
        assertThat(Opcodes.headerBytes(Opcodes.RC_SEND_ONLY)).isEqualTo(12);
        assertThat(Opcodes.headerBytes(Opcodes.RC_WRITE_ONLY_IMM)).isEqualTo(12 + 16 + 4);
        assertThat(Opcodes.headerBytes(Opcodes.RC_READ_RESPONSE_ONLY)).isEqualTo(16);
        assertThat(Opcodes.headerBytes(Opcodes.RC_ATOMIC_ACKNOWLEDGE)).isEqualTo(24);
        assertThat(Opcodes.headerBytes(Opcodes.RC_COMPARE_SWAP)).isEqualTo(40);
        assertThat(Opcodes.headerBytes(Opcodes.UD_SEND_ONLY_IMM)).isEqualTo(24);
        assertThat(Opcodes.flags(0x17)).as("not carried").isEqualTo(Opcodes.UNSUPPORTED | Opcodes.HAS_PAYLOAD);
        assertThat(Opcodes.flags(0x20)).as("of no transport here").isZero();
    }
}
