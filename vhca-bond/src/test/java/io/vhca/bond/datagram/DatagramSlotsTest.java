package io.vhca.bond.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.NativeMemory;
import io.vhca.api.QpCapabilities;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.SendWrDescriptor;
import io.vhca.api.WrOpcode;
import io.vhca.bond.memory.NativeBlock;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

/** A slot keeps a datagram's destination as it was posted, beside what hardware reads. */
class DatagramSlotsTest {
    private static final int CAPACITY = 4;
    private static final int QKEY = 0x4711;

    @Test
    void eachSlotKeepsHandleAndNumberWhateverIsWrittenForHardware() {
        final QpCapabilities cap = new QpCapabilities(CAPACITY, 1, 2, 1, 16);
        try (Arena arena = Arena.ofConfined();
                NativeBlock block = new NativeBlock("bond0", 1, DatagramSlots.bytes(cap))) {
            final DatagramSlots slots = new DatagramSlots(block, cap);
            for (int i = 0; i < CAPACITY; i++) {
                final long handle = (long) (i + 1) << 32 | i;
                final SendWorkRequest wr = SendWorkRequest.allocate(arena, 1)
                        .wrId(-1L - i).opcode(WrOpcode.SEND).ud(handle, 0xABCDE0 + i, QKEY);
                slots.keep(
                        slots.address(i), wr.address(), i % 2 == 0 ? SendFlags.SIGNALED : 0, WrOpcode.SEND.code(),
                        handle);
                NativeMemory.putLong(slots.address(i) + SendWrDescriptor.UD_AH_OFFSET, -1);
                NativeMemory.putInt(slots.address(i) + SendWrDescriptor.UD_REMOTE_QPN_OFFSET, -1);
            }
            for (int i = 0; i < CAPACITY; i++) {
                assertThat(slots.handle(i)).isEqualTo((long) (i + 1) << 32 | i);
                assertThat(slots.qpNum(i)).isEqualTo(0xABCDE0 + i);
                assertThat(slots.wrId(i)).isEqualTo(-1L - i);
                assertThat(slots.isSignaled(i)).isEqualTo(i % 2 == 0);
                assertThat(slots.opcode(i)).isEqualTo(WrOpcode.SEND.code());
                assertThat(NativeMemory.getInt(slots.address(i) + SendWrDescriptor.UD_REMOTE_QKEY_OFFSET))
                        .isEqualTo(QKEY);
            }
        }
    }
}
