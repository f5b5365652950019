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

    @Test
    void descriptorsOfTheProcessAndOfTheHostAreTwoLimits() {
        assertThat(VerbFailure.of("openDevice", -Errno.EMFILE, "rxe0")).hasMessageContaining("`ulimit -n`");
        assertThat(VerbFailure.of("openDevice", -Errno.ENFILE, "rxe0"))
                .hasMessageContaining("(ENFILE)")
                .hasMessageContaining("fs.file-max");
    }

    /** The kernel says the same where somebody listens at the port of all addresses, as its own RDS does. */
    @Test
    void anAddressThatCannotBeHadMayBeAPortThatIsTaken() {
        assertThat(VerbFailure.of("bindAddr", -Errno.EADDRNOTAVAIL, "rxe0 cm id"))
                .hasMessageContaining("no RDMA device of this host has this address")
                .hasMessageContaining("another id listens at the port of all addresses")
                .hasMessageContaining("`rdma resource show cm_id`");
    }
}
