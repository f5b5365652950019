package io.vhca.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.nio.ByteOrder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The flyweights write where a C compiler on a 64-bit machine would look; the offsets here are the C ABI's, by hand.
 */
class FlyweightTest {
    private final Arena arena = Arena.ofShared();

    @AfterEach
    void free() {
        arena.close();
    }

    @Test
    void theMachineIsTheOneTheLayoutsAreFor() {
        assertThat(ByteOrder.nativeOrder()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
    }

    @Test
    void sendWorkRequest() {
        final SendWorkRequest wr = SendWorkRequest.allocate(arena, 2);
        final long at = wr.address();
        wr.wrId(1).next(2).opcode(WrOpcode.SEND_WITH_IMM).sendFlags(SendFlags.SIGNALED | SendFlags.INLINE);
        wr.immData(0x01020304).rdma(5, 6).sge(0, 7, 8, 9).sge(1, 10, 11, 12).numSge(2);
        assertThat(NativeMemory.getLong(at)).isEqualTo(1);
        assertThat(NativeMemory.getLong(at + 8)).isEqualTo(2);
        assertThat(NativeMemory.getLong(at + 16)).isEqualTo(at + 128);
        assertThat(NativeMemory.getInt(at + 24)).isEqualTo(2);
        assertThat(NativeMemory.getInt(at + 28)).isEqualTo(3);
        assertThat(NativeMemory.getInt(at + 32)).isEqualTo(0b1010);
        assertThat(NativeMemory.getByte(at + 36)).as("immediate data is big-endian").isEqualTo((byte) 1);
        assertThat(NativeMemory.getByte(at + 39)).isEqualTo((byte) 4);
        assertThat(NativeMemory.getLong(at + 40)).isEqualTo(5);
        assertThat(NativeMemory.getInt(at + 48)).isEqualTo(6);
        assertThat(NativeMemory.getLong(at + 128)).isEqualTo(7);
        assertThat(NativeMemory.getInt(at + 136)).isEqualTo(8);
        assertThat(NativeMemory.getInt(at + 140)).isEqualTo(9);
        assertThat(NativeMemory.getLong(at + 144)).isEqualTo(10);
        assertThat(wr.wrId()).isEqualTo(1);
        assertThat(wr.immData()).isEqualTo(0x01020304);
    }

    @Test
    void atomicAndDatagramRequests() {
        final SendWorkRequest wr = SendWorkRequest.allocate(arena, 1);
        final long at = wr.address();
        wr.atomic(1, 2, 3, 4);
        assertThat(NativeMemory.getLong(at + 40)).isEqualTo(1);
        assertThat(NativeMemory.getLong(at + 48)).isEqualTo(3);
        assertThat(NativeMemory.getLong(at + 56)).isEqualTo(4);
        assertThat(NativeMemory.getInt(at + 64)).isEqualTo(2);
        wr.ud(5, 6, 7);
        assertThat(NativeMemory.getLong(at + 40)).isEqualTo(5);
        assertThat(NativeMemory.getInt(at + 48)).isEqualTo(6);
        assertThat(NativeMemory.getInt(at + 52)).isEqualTo(7);
        assertThat(SendWrDescriptor.BIND_MW_OFFSET).isEqualTo(80);
        assertThat(SendWrDescriptor.SIZE).isEqualTo(128);
    }

    @Test
    void recvWorkRequest() {
        final RecvWorkRequest wr = RecvWorkRequest.allocate(arena, 1);
        final long at = wr.address();
        wr.wrId(1).next(2).sge(3, 4, 5);
        assertThat(NativeMemory.getLong(at)).isEqualTo(1);
        assertThat(NativeMemory.getLong(at + 8)).isEqualTo(2);
        assertThat(NativeMemory.getLong(at + 16)).isEqualTo(at + 32);
        assertThat(NativeMemory.getInt(at + 24)).isEqualTo(1);
        assertThat(NativeMemory.getLong(at + 32)).isEqualTo(3);
    }

    @Test
    void workCompletion() {
        final WorkCompletion wc = WorkCompletion.allocate(arena, 3);
        final long at = wc.address() + 48;
        NativeMemory.putLong(at, 1);
        NativeMemory.putInt(at + 8, 12);
        NativeMemory.putInt(at + 12, 128);
        NativeMemory.putInt(at + 16, 4);
        NativeMemory.putInt(at + 20, 5);
        NativeMemory.putInt(at + 24, Integer.reverseBytes(6));
        NativeMemory.putInt(at + 28, 7);
        NativeMemory.putInt(at + 32, 8);
        NativeMemory.putInt(at + 36, WcFlags.WITH_IMM);
        wc.at(1);
        assertThat(wc.wrId()).isEqualTo(1);
        assertThat(wc.statusName()).isEqualTo(WcStatus.RETRY_EXC_ERR);
        assertThat(WcOpcode.fromCode(wc.opcode())).isEqualTo(WcOpcode.RECV);
        assertThat(wc.vendorErr()).isEqualTo(4);
        assertThat(wc.byteLen()).isEqualTo(5);
        assertThat(wc.immData()).isEqualTo(6);
        assertThat(wc.qpNum()).isEqualTo(7);
        assertThat(wc.srcQp()).isEqualTo(8);
        assertThat(wc.wcFlags()).isEqualTo(2);
        assertThat(wc.at(0).wrId()).isZero();
    }

    @Test
    void nativeMemoryCopiesOverlappingAndFills() {
        final long at = arena.allocate(16).address();
        NativeMemory.fill(at, 16, (byte) 7);
        for (int i = 0; i < 8; i++) {
            NativeMemory.putByte(at + i, (byte) i);
        }
        NativeMemory.copy(at, at + 2, 8);
        assertThat(NativeMemory.getByte(at + 2)).isZero();
        assertThat(NativeMemory.getByte(at + 9)).isEqualTo((byte) 7);
        assertThat(NativeMemory.getShort(at + 3)).isEqualTo((short) 0x0201);
    }
}
