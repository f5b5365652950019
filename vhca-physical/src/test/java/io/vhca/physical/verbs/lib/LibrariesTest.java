package io.vhca.physical.verbs.lib;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.physical.ffm.Posix;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a host without RDMA devices can show: the C library, descriptors, and what is missing. */
@Timeout(600)
class LibrariesTest {
    @Test
    void aMissingLibraryIsNamedWithItsPackage() {
        assertThat(Libraries.missing(Map.of("libnosuch.so.9", "nosuch9")))
                .startsWith("libnosuch.so.9 (package nosuch9) cannot be loaded: install")
                .contains("libibverbs1", "librdmacm1", "ibverbs-providers");
        assertThat(Libraries.missing(Map.of("libc.so.6", "libc6"))).isEmpty();
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

    /** A device dies while its owner closes what belongs to it. */
    @Test
    void nobodysDescriptorIsWrittenToByWhatIsClosed() {
        final int fd = Posix.eventFd();
        final Readiness readiness = new Readiness("test", "fd", fd);
        assertThat(readiness.close()).isTrue();
        final List<Integer> others = IntStream.range(0, 16).map(i -> Posix.eventFd()).boxed().toList();
        readiness.over();
        final PollSet polled = new PollSet(others);
        assertThat(polled.await(0)).as("written to, of those that have the number again").isZero();
        others.forEach(Posix::close);
        Posix.close(fd);
    }

    @Test
    void whatIsOverIsNotWaitedFor() {
        final int fd = Posix.eventFd();
        final Readiness readiness = new Readiness("test", "fd", fd);
        readiness.over();
        assertThat(readiness.enter()).isTrue();
        assertThat(readiness.await(System.nanoTime(), Long.MAX_VALUE)).isFalse();
        readiness.leave();
        assertThat(readiness.close()).isTrue();
        Posix.close(fd);
    }

    /** As many virtual threads as there are carriers wait for a descriptor; another one has its turn all the same. */
    @Test
    void virtualThreadsThatWaitKeepNoOtherFromItsTurn() throws InterruptedException {
        final int count = Integer.getInteger(
                "jdk.virtualThreadScheduler.parallelism", Runtime.getRuntime().availableProcessors());
        final int fd = Posix.eventFd();
        final Readiness readiness = new Readiness("test", "fd", fd);
        final CountDownLatch inside = new CountDownLatch(count);
        final AtomicInteger woken = new AtomicInteger();
        final List<Thread> waiters = IntStream.range(0, count)
                .mapToObj(i -> Thread.ofVirtual().start(() -> {
                    readiness.enter();
                    inside.countDown();
                    woken.addAndGet(readiness.await(System.nanoTime(), Long.MAX_VALUE) ? 1 : 0);
                    readiness.leave();
                }))
                .toList();
        inside.await();
        final CountDownLatch turn = new CountDownLatch(1);
        Thread.ofVirtual().start(turn::countDown);
        final boolean hasTurn = turn.await(60, TimeUnit.SECONDS);
        Posix.signal(fd);
        for (final Thread waiter : waiters) {
            waiter.join();
        }
        readiness.close();
        Posix.close(fd);
        assertThat(hasTurn).isTrue();
        assertThat(woken).hasValue(count);
    }

    @Test
    void aVirtualThreadWaitsAsLongAsItIsToAndIsWoken() throws InterruptedException {
        final int fd = Posix.eventFd();
        final Readiness readiness = new Readiness("test", "fd", fd);
        final List<Boolean> found = new CopyOnWriteArrayList<>();
        readiness.enter();
        readiness.wakeUp();
        final Thread waiter = Thread.ofVirtual().start(() -> {
            found.add(readiness.await(System.nanoTime(), Long.MAX_VALUE));
            found.add(readiness.await(System.nanoTime(), 1_000_000));
            Thread.currentThread().interrupt();
            found.add(readiness.await(System.nanoTime(), Long.MAX_VALUE));
            readiness.leave();
        });
        waiter.join();
        readiness.close();
        Posix.close(fd);
        assertThat(found).containsExactly(false, false, false);
    }
}
