package io.vhca.bond.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.NativeMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A write beyond a part, by FFM as an application's native code would make it, breaks a marker; none other does. */
class NativeBlockTest {
    private static final int MARKER = 64;
    private static final int SENDS = 3 * 128;
    private static final int RECEIVES = 100;

    private final NativeBlock block =
            new NativeBlock("bond0", 0x12, NativeBlock.bytesOf(SENDS) + NativeBlock.bytesOf(RECEIVES));
    private final long sends = block.part("vSQ", SENDS);
    private final long receives = block.part("vRQ", RECEIVES);

    @AfterEach
    void close() {
        block.close();
    }

    private static MemorySegment at(final long address, final long bytes) {
        return MemorySegment.ofAddress(address).reinterpret(bytes);
    }

    private static String text(final long address) {
        final byte[] letters = at(address, 16).toArray(ValueLayout.JAVA_BYTE);
        return new String(letters, StandardCharsets.US_ASCII).strip();
    }

    @Test
    void partsBeginWithALineAndTheirMarkersReadAsText() {
        assertThat(sends % MARKER).isZero();
        assertThat(receives - sends).isEqualTo(SENDS + 2 * MARKER);
        assertThat(text(sends - MARKER)).isEqualTo("vSQ 000012");
        assertThat(text(sends - MARKER + 40)).isEqualTo("bond0");
        assertThat(text(sends + SENDS)).isEqualTo("vSQ 000012");
        assertThat(text(sends + SENDS + 16)).startsWith("END");
        assertThat(text(receives - MARKER)).isEqualTo("vRQ 000012");
        assertThat(block.map()).hasSize(2).first().asString().startsWith("vSQ 000012 at 0x").endsWith(" 384 bytes");
    }

    @Test
    void allOfAPartMayBeWritten() {
        at(sends, SENDS).fill((byte) -1);
        at(receives, RECEIVES).fill((byte) -1);
        assertThat(block.isWhole()).isTrue();
        assertThat(block.damage()).isEmpty();
    }

    @Test
    void everyByteOfEveryMarkerCounts() {
        for (final long marker : new long[] {
            sends - MARKER, sends + SENDS, receives - MARKER, receives + 2 * MARKER}) {
            for (int i = 0; i < MARKER; i++) {
                final byte before = NativeMemory.getByte(marker + i);
                NativeMemory.putByte(marker + i, (byte) (before ^ 0x10));
                assertThat(block.isWhole()).as("byte %d", i).isFalse();
                assertThat(block.damage()).startsWith("the marker ").contains(Long.toHexString(marker));
                NativeMemory.putByte(marker + i, before);
            }
        }
        assertThat(block.isWhole()).isTrue();
    }

    @Test
    void anOverrunIsSaidWithPartAndPlace() {
        at(sends, SENDS + 4).fill((byte) 0x41);
        assertThat(block.damage())
                .isEqualTo("the marker behind vSQ 000012 at 0x" + Long.toHexString(sends + SENDS) + ", of 384 bytes at"
                        + " 0x" + Long.toHexString(sends));
    }

    @Test
    void aPartThatWasNotReckonedWithIsADefect() {
        assertThatThrownBy(() -> block.part("vXX", 1)).isInstanceOf(AssertionError.class);
    }
}
