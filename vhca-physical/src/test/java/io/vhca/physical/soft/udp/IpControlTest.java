package io.vhca.physical.soft.udp;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Gid;
import io.vhca.physical.soft.carrier.Destination;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

/** Control messages as cmsg(3) lays them out. */
class IpControlTest {
    private static final Gid GID = new Gid(0, 1);

    private static long[] written(final int family, final Destination to) {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment control = arena.allocate(IpControl.BYTES, 8);
            final int used = IpControl.write(control.address(), family, to);
            return control.asSlice(0, used).toArray(ValueLayout.JAVA_LONG);
        }
    }

    private static long header(final int level, final int type) {
        return (long) type << 32 | level;
    }

    @Test
    void whatADestinationWantsIsThereAndNothingElse() {
        assertThat(written(LibC.AF_INET, Destination.of(GID))).isEmpty();
        assertThat(written(LibC.AF_INET, new Destination(GID, 0x6a, 0))).containsExactly(20, header(0, 1), 0x6a);
        assertThat(written(LibC.AF_INET, new Destination(GID, 0x6a, 9)))
                .containsExactly(20, header(0, 1), 0x6a, 20, header(0, 2), 9);
        assertThat(written(LibC.AF_INET6, new Destination(GID, 0x6a, 9)))
                .containsExactly(20, header(41, 67), 0x6a, 20, header(41, 52), 9);
    }

    @Test
    void aReceivedClassIsReadAndNothingElseIsTakenForOne() {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment control = arena.allocate(IpControl.BYTES, 8);
            control.set(ValueLayout.JAVA_LONG, 0, 17);
            control.set(ValueLayout.JAVA_LONG, 8, header(0, 1));
            control.set(ValueLayout.JAVA_INT, 16, 0xeb);
            assertThat(IpControl.trafficClass(control.address(), 17)).isEqualTo(0xeb);
            assertThat(IpControl.trafficClass(control.address(), 0)).isZero();
            control.set(ValueLayout.JAVA_LONG, 8, header(41, 67));
            assertThat(IpControl.trafficClass(control.address(), 20)).isEqualTo(0xeb);
            control.set(ValueLayout.JAVA_LONG, 8, header(0, 2));
            assertThat(IpControl.trafficClass(control.address(), 20)).isZero();
        }
    }

    /** The kernel tells more than one thing of a message, and a length that lies ends the search. */
    @Test
    void aMessageIsFoundBehindAnother() {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment control = arena.allocate(2 * SocketLayout.CMSG_SPACE, 8);
            control.set(ValueLayout.JAVA_LONG, 0, 17);
            control.set(ValueLayout.JAVA_LONG, 8, header(0, 1));
            control.set(ValueLayout.JAVA_LONG, 24, 20);
            control.set(ValueLayout.JAVA_LONG, 32, header(17, 104));
            final long at = control.address();
            assertThat(IpControl.find(at, 48, LibC.SOL_UDP, LibC.UDP_GRO, 4)).isEqualTo(at + 40);
            assertThat(IpControl.find(at, 48, LibC.SOL_UDP, LibC.UDP_GRO, 8)).isEqualTo(IpControl.NOT_THERE);
            assertThat(IpControl.find(at, 24, LibC.SOL_UDP, LibC.UDP_GRO, 4)).isEqualTo(IpControl.NOT_THERE);
            for (final long lie : new long[] {0, 8, 1L << 40, -1}) {
                control.set(ValueLayout.JAVA_LONG, 0, lie);
                assertThat(IpControl.find(at, 48, LibC.SOL_UDP, LibC.UDP_GRO, 4)).isEqualTo(IpControl.NOT_THERE);
            }
        }
    }
}
