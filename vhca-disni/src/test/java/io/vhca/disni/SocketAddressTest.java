package io.vhca.disni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

class SocketAddressTest {
    @Test
    void portAndAddressAreInNetworkOrder() {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment memory = arena.allocate(SocketAddress.RESERVED_BYTES, 8).fill((byte) 7);
            SocketAddress.write(memory.address(), new InetSocketAddress("10.1.2.3", 0x1234));
            assertThat(memory.asSlice(2, 14).toArray(ValueLayout.JAVA_BYTE))
                    .containsExactly(0x12, 0x34, 10, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0);
            assertThat(memory.get(ValueLayout.JAVA_SHORT, 0)).isEqualTo((short) 2);
            assertThat(SocketAddress.read("bindAddr", memory.address()))
                    .isEqualTo(new InetSocketAddress("10.1.2.3", 0x1234));
        }
    }

    @Test
    void noAddressYetIsZeros() {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment memory = arena.allocate(SocketAddress.RESERVED_BYTES, 8).fill((byte) 7);
            SocketAddress.write(memory.address(), null);
            assertThat(memory.asSlice(0, 16).toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
        }
    }

    @Test
    void anotherFamilyIsRefused() {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment memory = arena.allocate(SocketAddress.RESERVED_BYTES, 8);
            memory.set(ValueLayout.JAVA_SHORT, 0, (short) 10);
            assertThatThrownBy(() -> SocketAddress.read("bindAddr", memory.address()))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("address family 10");
        }
    }
}
