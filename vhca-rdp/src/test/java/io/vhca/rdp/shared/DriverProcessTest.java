package io.vhca.rdp.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.physical.soft.SoftConfig;
import io.vhca.rdp.Drivers;
import io.vhca.rdp.RdpDriver;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of who starts a driver's process, by what that one ends with. */
@Timeout(60)
class DriverProcessTest {
    private static final String DEVICE = "soft51";

    private final AtomicLong clockNs = new AtomicLong();
    /** Each look finds a second over. */
    private final LongSupplier clock = () -> clockNs.addAndGet(TimeUnit.SECONDS.toNanos(1));

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private SharedDrivers all;
    private int starts;

    @BeforeEach
    void open() {
        all = new SharedDrivers(directory);
    }

    @AfterEach
    void close() {
        all.close();
    }

    private Process ended(final int code) throws IOException {
        starts++;
        return new ProcessBuilder("sh", "-c", "exit " + code).start().onExit().join();
    }

    /** It has the device long before clients can attach, on a host that is busy. */
    @Test
    void whoFindsTheDeviceTakenWaitsForWhoHasIt() {
        final RdpDriver driver = all.open(51);
        final int[] looks = new int[1];
        try (SharedDriver client = DriverProcess.attach(DEVICE, _ -> ended(DriverProcess.TAKEN), () -> {
            if (++looks[0] == 40) {
                all.serve(driver);
            }
            return clock.getAsLong();
        })) {
            assertThat(client.address()).isEqualTo(driver.address());
        }
        assertThat(starts).as("who had it may have ended").isGreaterThan(1);
    }

    @Test
    void whereItsProcessEndedForAnotherReasonIsLookedOnceMore() throws IOException {
        final RdpDriver driver = all.open(51);
        final Path log = DriverProcess.log(DEVICE);
        assertThatThrownBy(() -> DriverProcess.attach(DEVICE, _ -> ended(1), clock))
                .hasMessageContaining("its process was started and has ended; " + log);
        assertThat(starts).isEqualTo(1);
        try (SharedDriver client = DriverProcess.attach(DEVICE, _ -> {
            all.serve(driver);
            return ended(1);
        }, clock)) {
            assertThat(client.address()).isEqualTo(driver.address());
        }
    }

    @Test
    void aProcessSaysByItsCodeThatTheDeviceIsTaken() throws Exception {
        final String soft = System.getProperty(SoftConfig.PROPERTY);
        System.setProperty(SoftConfig.PROPERTY, DEVICE + "=" + Drivers.own(51).getHostAddress());
        all.open(51);
        try {
            assertThat(DriverProcess.start(DEVICE).waitFor()).isEqualTo(DriverProcess.TAKEN);
            assertThat(directory.resolve(DEVICE + ".rdpd.log")).content().contains("(EADDRINUSE)");
        } finally {
            if (soft == null) {
                System.clearProperty(SoftConfig.PROPERTY);
            } else {
                System.setProperty(SoftConfig.PROPERTY, soft);
            }
        }
    }
}
