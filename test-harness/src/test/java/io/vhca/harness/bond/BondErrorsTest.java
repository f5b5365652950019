package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.BondContext;
import io.vhca.bond.config.BondConfig;
import io.vhca.examples.RdmaConnection;
import io.vhca.examples.RdmaListener;
import io.vhca.harness.cli.StatusFiles;
import io.vhca.harness.cli.Tool;
import io.vhca.physical.soft.SoftDevice;
import io.vhca.ras.status.StatusPublisher;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a queue pair failed by stands in the error log with its code, the path and what to do. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BondErrorsTest {
    @RegisterExtension
    private final StatusFiles files = new StatusFiles();

    private final Tool tool = new Tool();
    private final SoftDevice first = SoftBonds.soft("errors-a", 165);
    private final SoftDevice second = SoftBonds.soft("errors-b", 166);
    private final SoftDevice third = SoftBonds.soft("errors-c", 167);
    private final SoftDevice fourth = SoftBonds.soft("errors-d", 168);

    private BondContext open(final String name, final SoftDevice one, final SoftDevice other) {
        return SoftBonds.open(
                BondConfig.builder(name)
                        .members(List.of(one.name(), other.name()))
                        .recoveryTimeoutNs(TimeUnit.MILLISECONDS.toNanos(300))
                        .build(),
                one,
                other);
    }

    @Test
    void noPathHasItsCode() throws IOException {
        try (BondContext client = open("bond-x", first, second);
                BondContext server = open("bond-y", third, fourth);
                RdmaListener listener = RdmaListener.listen(server, 0)) {
            StatusPublisher.attach(client);
            try (RdmaConnection there = RdmaConnection.connect(client, listener.address());
                    RdmaConnection _ = listener.accept()) {
                there.awaitEstablished();
                first.setPortUp(false);
                second.setPortUp(false);
                files.await(status -> !status.errors().isEmpty()
                        && status.errors().stream().anyMatch(error -> error.text().startsWith("VHCA-0001")));
                assertThat(tool.run("errors", "bond-x")).isZero();
                assertThat(tool.out())
                        .containsPattern("bond-x, process " + ProcessHandle.current().pid() + ".*: once, at ")
                        .containsPattern("VHCA-0001 queue pairs failed with NO_PATH, noticed by PORT_ERR on"
                                + " errors-\\w -> ")
                        .contains("what to do: look at `vhca status` for members that are down");
            }
        }
    }
}
