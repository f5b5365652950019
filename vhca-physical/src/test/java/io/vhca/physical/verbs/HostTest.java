package io.vhca.physical.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Devices;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** What a host without libraries or devices is told, and waiting on descriptors; no device needed. */
class HostTest {
    @Test
    void aMissingLibraryIsNamedWithItsPackage() {
        assertThat(Libraries.missing(Map.of("libnosuch.so.9", "nosuch9")))
                .startsWith("libnosuch.so.9 (package nosuch9) cannot be loaded: install")
                .contains("libibverbs1", "librdmacm1", "ibverbs-providers");
        assertThat(Libraries.missing(Map.of("libc.so.6", "libc6"))).isEmpty();
    }

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
    void aFailedCallGivesItsErrno() {
        assertThat(Posix.setNonBlocking(-1)).isEqualTo(-9);
    }

    @Test
    void aReadyDescriptorIsNoticedAndAQuietOneIsNot() {
        final int fd = Posix.eventFd();
        final Readiness readiness = new Readiness("test", "fd", fd);
        assertThat(readiness.enter()).isTrue();
        assertThat(readiness.await(System.nanoTime(), 0)).isFalse();
        assertThat(readiness.await(System.nanoTime(), 1_000_000)).isFalse();
        Posix.signal(fd);
        assertThat(readiness.await(System.nanoTime(), Long.MAX_VALUE)).isTrue();
        Posix.drain(fd);
        assertThat(readiness.await(System.nanoTime(), 1_000_000)).isFalse();
        readiness.leave();
        assertThat(readiness.close()).isTrue();
        assertThat(readiness.close()).isFalse();
        assertThat(readiness.enter()).isFalse();
        Posix.close(fd);
    }

    @Test
    void closingWakesWhoWaits() throws InterruptedException {
        final int fd = Posix.eventFd();
        final Readiness readiness = new Readiness("test", "fd", fd);
        final CountDownLatch inside = new CountDownLatch(1);
        final AtomicBoolean ready = new AtomicBoolean(true);
        final Thread waiter = Thread.ofPlatform().start(() -> {
            readiness.enter();
            inside.countDown();
            ready.set(readiness.await(System.nanoTime(), Long.MAX_VALUE));
            readiness.leave();
        });
        inside.await();
        readiness.close();
        waiter.join();
        assertThat(ready).isFalse();
        Posix.close(fd);
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
