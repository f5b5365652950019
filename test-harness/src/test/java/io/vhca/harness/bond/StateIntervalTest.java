package io.vhca.harness.bond;

import static io.vhca.harness.bond.BondPair.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Context;
import io.vhca.bond.config.BondOption;
import io.vhca.ras.snapshot.StateHistory;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How often the history of states asks devices. */
class StateIntervalTest {
    private int asked;

    /** Nobody else asks a device here for the faults that it counts. */
    private Context counted(final Context device) {
        return (Context) Proxy.newProxyInstance(
                Context.class.getClassLoader(), new Class<?>[] {Context.class}, (proxy, method, arguments) -> {
                    asked += method.getName().equals("faultCounters") ? 1 : 0;
                    try {
                        return method.invoke(device, arguments);
                    } catch (final InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Test
    void anotherIntervalCountsAtOnce(@TempDir final Path devices) {
        try (BondPair pair = new BondPair(
                config -> config.set(BondOption.STATE_INTERVAL, TimeUnit.HOURS.toNanos(1)), this::counted)) {
            StateHistory.attach(pair.left.bond, devices);
            pair.runFor(10_000 * MS);
            assertThat(asked).as("each of two members once").isEqualTo(2);
            pair.left.bond.admin().set(List.of("state_interval=30s"));
            pair.runFor(19_000 * MS);
            assertThat(asked).as("30s are not over").isEqualTo(2);
            pair.runFor(2_000 * MS);
            assertThat(asked).isEqualTo(4);
        }
    }
}
