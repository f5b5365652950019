package io.vhca.physical.verbs.lib;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Errno;
import org.junit.jupiter.api.Test;

/** One errno says different things of different calls. */
class VerbFailureTest {
    @Test
    void aDeviceThatIsClosedToThisUserIsNoMissingModule() {
        assertThat(VerbFailure.of("openDevice", -Errno.ENOENT, "rxe1"))
                .hasMessageContaining("openDevice on rxe1 failed (ENOENT)")
                .hasMessageContaining("closed to this user")
                .hasMessageNotContaining("rdma_ucm");
        assertThat(VerbFailure.of("createEventChannel", -Errno.ENOENT, "rxe1"))
                .hasMessageContaining("modprobe rdma_ucm");
    }
}
