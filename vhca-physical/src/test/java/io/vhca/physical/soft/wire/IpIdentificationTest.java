package io.vhca.physical.soft.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Gid;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The packets are what Linux 6.1's rxe put on the wire between 10.77.0.1 and 10.77.0.2 in the lab, with the
 * identification that a capture of the whole frames shows.
 */
class IpIdentificationTest {
    private static long gid(final int host) throws UnknownHostException {
        return Gid.of(InetAddress.getByName("10.77.0." + host)).interfaceId();
    }

    @ParameterizedTest
    @CsvSource({
        "1, 0xc3d6, 0400ffff00000011802ce9a6000055b73aaedda00000059100000040abdb67e5",
        "2, 0x3f70, 1100ffff00000011002ce9a61f000001676d343d",
        "2, 0x3f71, 0c00ffff0000001180235bfb000055b73aaedda000000591000000407739ebd6",
        "1, 0xc3d7, 1000ffff0000001100235bfb1f00000172646d612d70696e672d303a204142434445464748494a4b4c4d4e4f5051525354"
                + "55565758595a5b5c5d5e5f606162636465666768696a6b6c6d6e6f70717200a87ad8b3"
    })
    void findsWhatTheFramesHad(final int sender, final String identification, final String hex)
            throws UnknownHostException {
        final byte[] bytes = HexFormat.of().parseHex(hex);
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment packet = arena.allocate(bytes.length);
            MemorySegment.copy(bytes, 0, packet, ValueLayout.JAVA_BYTE, 0, bytes.length);
            final int covered = bytes.length - Wire.ICRC_BYTES;
            final int difference = Icrc.get(packet.address() + covered)
                    ^ new Icrc().compute(0, gid(sender), 0, gid(3 - sender), 56_818, packet.address(), covered);
            assertThat(IpIdentification.solve(difference, covered)).isEqualTo(Integer.decode(identification));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {12, 16, 28, 276, 1036, 4124, 4348})
    void findsEveryIdentification(final int lengthBytes) {
        // Linear: what each bit changes is enough to make up what every identification changes.
        final int[] effects = new int[Short.SIZE];
        for (int bit = 0; bit < effects.length; bit++) {
            effects[bit] = IpIdentification.effect(1 << bit, lengthBytes);
        }
        for (int identification = 1; identification < 1 << Short.SIZE; identification++) {
            int difference = 0;
            for (int bit = 0; bit < effects.length; bit++) {
                difference ^= (identification >>> bit & 1) == 0 ? 0 : effects[bit];
            }
            assertThat(IpIdentification.solve(difference, lengthBytes)).isEqualTo(identification);
        }
    }

    @Test
    void explainsOneOf65536DamagedPackets() {
        final RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(7);
        int explained = 0;
        for (int i = 0; i < 1 << 22; i++) {
            explained += IpIdentification.solve(random.nextInt(), 1036) == IpIdentification.NONE ? 0 : 1;
        }
        assertThat(explained).isBetween(32, 128);
    }

    @Test
    void doesNotLookBeyondTheLongestPacket() {
        assertThat(IpIdentification.solve(IpIdentification.effect(1, 5000), 5000)).isEqualTo(IpIdentification.NONE);
        assertThat(IpIdentification.solve(0, 12)).isEqualTo(IpIdentification.NONE);
    }
}
