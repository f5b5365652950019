package io.vhca.physical.soft.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Gid;
import io.vhca.api.NativeMemory;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A packet is found again in what it was filled up to, and nothing else is taken for one. */
class FillDescriptorTest {
    private static final int BYTES = 40;

    private Arena arena;
    private long packet;

    @BeforeEach
    void write() {
        arena = Arena.ofConfined();
        packet = arena.allocate(1024, 8).address();
        BthDescriptor.write(packet, Opcodes.RC_WRITE_ONLY, false, 0, 0x1234, true, 77);
    }

    @AfterEach
    void free() {
        arena.close();
    }

    @Test
    void whatWasAddedIsTakenAway() {
        for (int added = FillDescriptor.LEAST_BYTES; added < 900; added += FillDescriptor.LEAST_BYTES) {
            write();
            FillDescriptor.add(packet, BYTES, added);
            assertThat(FillDescriptor.packetBytes(packet, BYTES + added)).isEqualTo(BYTES);
        }
    }

    @Test
    void theIcrcIsThatOfThePacket() throws UnknownHostException {
        final Gid gid = Gid.of(InetAddress.getByName("10.1.0.1"));
        final Icrc icrc = new Icrc();
        final int before = icrc.compute(
                gid.subnetPrefix(), gid.interfaceId(), gid.subnetPrefix(), gid.interfaceId(), 4791, packet, BYTES - 4);
        FillDescriptor.offer(packet);
        FillDescriptor.add(packet, BYTES, 56);
        assertThat(icrc.compute(
                        gid.subnetPrefix(), gid.interfaceId(), gid.subnetPrefix(), gid.interfaceId(), 4791, packet,
                        FillDescriptor.packetBytes(packet, 96) - 4))
                .isEqualTo(before);
        assertThat(BthDescriptor.destQp(packet)).isEqualTo(0x1234);
    }

    @Test
    void aPacketWithoutTheBitIsAsLongAsItIs() {
        Wire.putShort(packet + BYTES - Short.BYTES, 8);
        assertThat(FillDescriptor.packetBytes(packet, BYTES)).isEqualTo(BYTES);
    }

    /** Whatever somebody writes there: nothing before the packet's own least length is ever taken away. */
    @Test
    void aLengthThatCannotBeIsNone() {
        FillDescriptor.add(packet, BYTES, 8);
        for (int told = 0; told <= 0xffff; told++) {
            Wire.putShort(packet + BYTES + 8 - Short.BYTES, told);
            final int bytes = FillDescriptor.packetBytes(packet, BYTES + 8);
            final boolean isPossible = told >= 4 && told % 4 == 0 && told <= BYTES + 8 - 16;
            assertThat(bytes).isEqualTo(isPossible ? BYTES + 8 - told : BYTES + 8);
        }
        for (int bytes = 0; bytes < 20; bytes++) {
            assertThat(FillDescriptor.packetBytes(packet, bytes)).isEqualTo(bytes);
        }
    }

    @Test
    void anOfferIsSeenAndIsNoCongestion() {
        assertThat(FillDescriptor.isOffered(packet)).isFalse();
        FillDescriptor.offer(packet);
        assertThat(FillDescriptor.isOffered(packet)).isTrue();
        assertThat(NativeMemory.getByte(packet + 4) & (BthDescriptor.BECN | BthDescriptor.FECN)).isZero();
        BthDescriptor.write(packet, Opcodes.RC_WRITE_ONLY, false, 0, 0x1234, true, 78);
        assertThat(FillDescriptor.isOffered(packet)).isFalse();
    }
}
