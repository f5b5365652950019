package io.vhca.bond.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class QpNumDescriptorTest {
    @Test
    void theFieldsOfAQueuePairNumberComeBackAtTheirEnds() {
        for (final int slot : new int[] {0, 1, QpNumDescriptor.SLOTS - 1}) {
            for (final int index : new int[] {0, 1, QpNumDescriptor.MAX_QP - 1}) {
                final int qpNum = QpNumDescriptor.qpNum(slot, index);
                assertThat(qpNum).isBetween(0, (1 << 24) - 1);
                assertThat(QpNumDescriptor.slot(qpNum)).isEqualTo(slot);
                assertThat(QpNumDescriptor.index(qpNum)).isEqualTo(index);
            }
        }
    }
}
