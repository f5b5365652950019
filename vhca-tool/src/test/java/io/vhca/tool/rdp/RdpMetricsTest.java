package io.vhca.tool.rdp;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.rdp.status.DriverStatus;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RdpMetricsTest {
    /** It failed the metrics of every bond too: the library refuses two points of the same labels. */
    @Test
    void aStatusThatSomebodyCopiedIsNotToldTwice() {
        final DriverStatus driver = new DriverStatus(
                "soft0", 4_711, InetAddress.ofLiteral("127.0.0.1"), Map.of(), List.of(), List.of(), List.of());
        assertThat(RdpMetrics.of(List.of(driver, driver)).stream())
                .isNotEmpty()
                .allSatisfy(metric -> assertThat(metric.getDataPoints()).hasSize(1));
    }
}
