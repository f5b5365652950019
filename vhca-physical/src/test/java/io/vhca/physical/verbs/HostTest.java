package io.vhca.physical.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Devices;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** What a host without RDMA devices is told, and what open objects keep from being closed. */
class HostTest {
    @Test
    void aHostWithoutDevicesListsNoneAndSaysWhy() {
        final VerbsProvider provider = new VerbsProvider();
        Assumptions.assumeTrue(provider.devices().isEmpty(), "SKIPPED: this host has RDMA devices");
        assertThat(provider.unavailableReason()).isNotEmpty().doesNotContain("\n");
        assertThatThrownBy(() -> Devices.byName("nosuch"))
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENODEV))
                .hasMessageContaining("provider verbs (" + provider.unavailableReason());
    }

    @Test
    void childrenThatAreOpenAreNamed() {
        final Children children = new Children();
        children.requireNone("deallocPd", "rxe0 pd");
        children.add("rxe0 qp 0x11");
        children.add("rxe0 mr");
        assertThatThrownBy(() -> children.requireNone("deallocPd", "rxe0 pd"))
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY))
                .hasMessageContaining("rxe0 pd")
                .hasMessageContaining("rxe0 qp 0x11 and 1 more");
        children.remove("rxe0 qp 0x11");
        children.remove("rxe0 mr");
        children.requireNone("deallocPd", "rxe0 pd");
    }
}
