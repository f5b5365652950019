package io.vhca.rdp.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.physical.soft.SoftConfig;
import io.vhca.rdp.Drivers;
import java.net.SocketException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is opened of devices that properties name, where one of them cannot be. */
@Timeout(60)
class RdpNetworksTest {
    private static final String DEVICE = "soft71";

    @AfterEach
    void clear() {
        System.clearProperty(SoftConfig.PROPERTY);
        System.clearProperty(RdpNetworks.DEVICES);
    }

    @Test
    void nothingStaysOpenWhereALaterOneIsRefused() throws Exception {
        System.setProperty(SoftConfig.PROPERTY, DEVICE + "=" + Drivers.own(71).getHostAddress() + ",soft72="
                + Drivers.own(72).getHostAddress());
        System.setProperty(RdpNetworks.DEVICES, DEVICE + "/24,soft72/x");
        assertThatThrownBy(new RdpNetworks()::all)
                .isInstanceOf(SocketException.class)
                .hasMessageContaining("a prefix of x bits");
        while (runs() > 0) {
            Thread.onSpinWait(); // the thread of a device that is closed ends
        }
        System.setProperty(RdpNetworks.DEVICES, DEVICE + "/24");
        final RdpNetworks again = new RdpNetworks();
        assertThat(again.all()).hasSize(1);
        assertThat(runs()).as("threads of a device that is open").isPositive();
        again.all().getFirst().driver().close();
    }

    /** Threads that run the device. */
    private static long runs() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().contains(DEVICE))
                .count();
    }
}
