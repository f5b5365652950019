package io.vhca.physical.soft.udp;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import org.junit.jupiter.api.Test;

/** What a soft device says that gets no raw socket; {@link RawUdpTest} needs one. */
class RawUdpRefusedTest {
    /** Who waits for an address that is in use would wait for ever. */
    @Test
    void aProcessWithoutTheRightIsToldSoAndNotThatTheAddressIsInUse() {
        final VerbsException refused = RawUdp.refused("soft0", Errno.EPERM);
        assertThat(refused.errno()).isEqualTo(Errno.EPERM);
        assertThat(refused).hasMessageContaining("soft0").hasMessageEndingWith(
                "needs CAP_NET_RAW; run as root, or `modprobe -r rdma_rxe`");
    }

    @Test
    void whatTheHostLacksIsNamed() {
        final VerbsException refused = RawUdp.refused("soft0", Errno.EMFILE);
        assertThat(refused.errno()).isEqualTo(Errno.EMFILE);
        assertThat(refused).hasMessageEndingWith("could not be made: no file descriptor is left, raise `ulimit -n`");
    }
}
