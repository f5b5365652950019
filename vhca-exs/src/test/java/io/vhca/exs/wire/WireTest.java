package io.vhca.exs.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.NativeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The layouts, byte by byte, and what foreign bytes may be. */
class WireTest {
    @Test
    void aHeaderIsBigEndianAndHasItsFieldsWhereTheyAre() {
        try (Arena arena = Arena.ofConfined()) {
            final long at = arena.allocate(MessageDescriptor.SIZE).address();
            MessageDescriptor.write(at, MessageDescriptor.DIRECT, MessageDescriptor.WAIT_ALL, 0x0102, 0x03040506);
            MessageDescriptor.writeReturns(at, 0x0708, 0x090A, 0x0B0C0D0E);
            MessageDescriptor.writeMemory(at, 0x1112131415161718L, 0x191A1B1C1D1E1F20L, 0x21222324);
            MessageDescriptor.writeSeen(at, 0x25262728);

            assertThat(HexFormat.of()
                            .formatHex(NativeMemory.segment(at, MessageDescriptor.SIZE)
                                    .toArray(ValueLayout.JAVA_BYTE)))
                    .isEqualTo("0402" + "0708" + "090a" + "0102" + "03040506" + "0b0c0d0e" + "1112131415161718"
                            + "191a1b1c1d1e1f20" + "21222324" + "25262728");
            assertThat(MessageDescriptor.type(at)).isEqualTo(MessageDescriptor.DIRECT);
            assertThat(MessageDescriptor.flags(at)).isEqualTo(MessageDescriptor.WAIT_ALL);
            assertThat(MessageDescriptor.dataCredits(at)).isEqualTo(0x0708);
            assertThat(MessageDescriptor.controlCredits(at)).isEqualTo(0x090A);
            assertThat(MessageDescriptor.dataLength(at)).isEqualTo(0x0102);
            assertThat(MessageDescriptor.number(at)).isEqualTo(0x03040506);
            assertThat(MessageDescriptor.acked(at)).isEqualTo(0x0B0C0D0E);
            assertThat(MessageDescriptor.address(at)).isEqualTo(0x1112131415161718L);
            assertThat(MessageDescriptor.length(at)).isEqualTo(0x191A1B1C1D1E1F20L);
            assertThat(MessageDescriptor.key(at)).isEqualTo(0x21222324);
            assertThat(MessageDescriptor.seen(at)).isEqualTo(0x25262728);
        }
    }

    @Test
    void furtherReceivesStandBehindTheHeader() {
        try (Arena arena = Arena.ofConfined()) {
            final int further = 2 * MessageDescriptor.RECEIVE_SIZE;
            final long at = arena.allocate(MessageDescriptor.SIZE + further).address();
            MessageDescriptor.write(at, MessageDescriptor.DIRECT, MessageDescriptor.WAIT_ALL, further, 7);
            MessageDescriptor.writeMemory(at, 1, 2, 3);
            MessageDescriptor.writeSeen(at, 4);
            MessageDescriptor.writeReceive(at, 1, 0x1112131415161718L, 0x191A1B1C1D1E1F20L, 0x21222324, 0);
            MessageDescriptor.writeReceive(at, 2, 5, 6, 7, MessageDescriptor.WAIT_ALL);

            assertThat(HexFormat.of()
                            .formatHex(NativeMemory.segment(at + MessageDescriptor.SIZE, further)
                                    .toArray(ValueLayout.JAVA_BYTE)))
                    .isEqualTo("1112131415161718" + "191a1b1c1d1e1f20" + "21222324" + "00000000"
                            + "0000000000000005" + "0000000000000006" + "00000007" + "00000002");
            assertThat(MessageDescriptor.receives(at)).isEqualTo(3);
            assertThat(MessageDescriptor.address(at, 0)).isEqualTo(1);
            assertThat(MessageDescriptor.length(at, 0)).isEqualTo(2);
            assertThat(MessageDescriptor.key(at, 0)).isEqualTo(3);
            assertThat(MessageDescriptor.flags(at, 0)).isEqualTo(MessageDescriptor.WAIT_ALL);
            assertThat(MessageDescriptor.address(at, 1)).isEqualTo(0x1112131415161718L);
            assertThat(MessageDescriptor.length(at, 1)).isEqualTo(0x191A1B1C1D1E1F20L);
            assertThat(MessageDescriptor.key(at, 1)).isEqualTo(0x21222324);
            assertThat(MessageDescriptor.flags(at, 1)).isZero();
            assertThat(MessageDescriptor.flags(at, 2)).isEqualTo(MessageDescriptor.WAIT_ALL);
            assertThat(MessageDescriptor.seen(at)).isEqualTo(4);
        }
    }

    @Test
    void aGreetingComesBackAndIsPaddedByZeros() {
        final Greeting greeting = new Greeting(1, 3, 2, 16, 32, 16, 512);
        final byte[] bytes = GreetingDescriptor.encode(greeting);
        assertThat(HexFormat.of().formatHex(bytes)).isEqualTo("45585331" + "0103" + "02" + "10" + "0020" + "0010"
                + "00000200");
        assertThat(GreetingDescriptor.decode(Arrays.copyOf(bytes, 56))).isEqualTo(greeting);
        assertThat(greeting.wrong()).isEmpty();
        assertThat(greeting.isSpoken()).isTrue();
    }

    /** What stood there before it had a meaning. */
    @Test
    void whoDoesNotSayHowManyReceivesAMessageMayTellOfUnderstandsOne() {
        final byte[] bytes = GreetingDescriptor.encode(new Greeting(1, 1, 1, 0, 32, 16, 512));
        assertThat(bytes[GreetingDescriptor.RECEIVES_OFFSET]).isZero();
        assertThat(GreetingDescriptor.decode(bytes)).isEqualTo(new Greeting(1, 1, 1, 1, 32, 16, 512));
    }

    @Test
    void whatIsNoGreetingIsNone() {
        assertThat(GreetingDescriptor.decode(new byte[0])).isNull();
        assertThat(GreetingDescriptor.decode(new byte[56])).isNull();
        final byte[] bytes = GreetingDescriptor.encode(new Greeting(1, 1, 1, 1, 1, 4, 40));
        assertThat(GreetingDescriptor.decode(Arrays.copyOf(bytes, GreetingDescriptor.SIZE - 1))).isNull();
    }

    @Test
    void aGreetingThatNobodyCanTalkToSaysWhy() {
        assertThat(new Greeting(0, 1, 1, 1, 1, 4, 40).wrong()).contains("versions 0 to 1");
        assertThat(new Greeting(2, 1, 1, 1, 1, 4, 40).wrong()).contains("versions 2 to 1");
        assertThat(new Greeting(1, 1, 1, 1, 0, 4, 40).wrong()).contains("0 data and 4 control credits");
        assertThat(new Greeting(1, 1, 1, 1, 1, 3, 40).wrong()).contains("1 data and 3 control credits");
        assertThat(new Greeting(1, 1, 1, 1, 1, 4, 39).wrong()).contains("messages of 39 bytes");
        assertThat(new Greeting(1, 1, 1, 1, 1, 4, 40 + 65_536).wrong()).contains("messages of 65576 bytes");
        assertThat(new Greeting(2, 3, 1, 1, 1, 4, 40).isSpoken()).isFalse();
    }
}
