package io.vhca.physical.soft.udp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.vhca.physical.ffm.Posix;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What ends the sleep of a device's thread before its time. */
@Timeout(60)
class CarrierWatchTest {
    private static final long FOR_EVER_NS = TimeUnit.DAYS.toNanos(1);
    private static final String ADDRESS = "127.203.7.91/32";

    private final Arena arena = Arena.ofShared();
    private final int socket = LibC.socket(LibC.AF_INET, LibC.SOCK_DGRAM | LibC.SOCK_CLOEXEC);
    private final CarrierWatch watch =
            new CarrierWatch("soft-waits", arena, socket, InetAddress.ofLiteral("127.0.0.1"));

    @AfterEach
    void close() {
        watch.close();
        Posix.close(socket);
        arena.close();
    }

    @Test
    void itEndsAfterItsTime() {
        assertThat(watch.await(1)).as("a packet").isFalse();
    }

    @Test
    void whoWakesBeforeItBeginsEndsItAsWell() {
        do {
            watch.wakeUp();
            watch.wakeUp();
            assertThat(watch.await(FOR_EVER_NS)).as("a packet").isFalse();
        } while (watch.takeLinkTold()); // of what others change on this host
        assertThat(watch.await(1)).as("woken once, it sleeps again").isFalse();
    }

    @Test
    void whoWakesEndsIt() throws InterruptedException {
        final Thread sleeper = new Thread(() -> watch.await(FOR_EVER_NS));
        sleeper.start();
        watch.wakeUp();
        sleeper.join();
    }

    @Test
    void nobodyIsWokenOnceItIsClosed() {
        watch.close();
        watch.close();
        watch.wakeUp();
        assertThat(watch.isUp()).isFalse();
    }

    @Test
    void anAddressThatComesAndGoesEndsIt() throws Exception {
        assumeThat(watch.isTold()).as("a kernel that tells of links").isTrue();
        assumeThat(ip("add")).as("the right to add an address").isZero();
        try {
            told();
        } finally {
            assertThat(ip("del")).isZero();
        }
        told();
    }

    /** Others on this host may change something as well: what is asked here is that something was told. */
    private void told() {
        while (!watch.takeLinkTold()) {
            watch.await(FOR_EVER_NS);
        }
        watch.check(System.nanoTime());
        assertThat(watch.isUp()).isTrue();
        watch.await(1);
        watch.takeLinkTold();
    }

    private static int ip(final String verb) throws Exception {
        try {
            return new ProcessBuilder("ip", "address", verb, ADDRESS, "dev", "lo")
                    .inheritIO()
                    .start()
                    .waitFor();
        } catch (final IOException e) {
            return -1;
        }
    }

    @Test
    void aKernelThatTellsNobodyIsAlwaysToBeAsked() {
        final LinkEvents links = new LinkEvents(arena);
        links.close();
        links.close();
        assertThat(links.fd()).isNegative();
        assertThat(links.take()).isTrue();
        assertThat(links.take()).isTrue();
    }
}
