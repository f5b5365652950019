package io.vhca.bond.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PhysicalWrIdTest {
    @Test
    void everyFieldOfAPhysicalWrIdComesBackAtItsEnds() {
        for (int kind = PhysicalWrId.KIND_SEND; kind <= PhysicalWrId.KIND_RECV_MARKER; kind++) {
            for (final int incarnation : new int[] {0, 1, 0x7FFF, 0x8000, 0xFFFF}) {
                for (final int index : new int[] {0, 1, PhysicalWrId.MAX_QP_INDEX}) {
                    for (final long sequence : new long[] {0, 1, (1 << 24) - 1, 1 << 24, (1L << 40) + 5}) {
                        final long id = PhysicalWrId.of(PhysicalWrId.prefix(kind, incarnation, index), sequence);
                        assertThat(PhysicalWrId.kind(id)).isEqualTo(kind);
                        assertThat(PhysicalWrId.incarnation(id)).isEqualTo(incarnation);
                        assertThat(PhysicalWrId.qpIndex(id)).isEqualTo(index);
                        assertThat(PhysicalWrId.sequence(id, sequence)).isEqualTo(sequence);
                        final long early = Math.max(0, sequence - PhysicalWrId.MAX_RING);
                        assertThat(PhysicalWrId.sequence(id, early)).isEqualTo(sequence);
                    }
                }
            }
        }
    }
}
