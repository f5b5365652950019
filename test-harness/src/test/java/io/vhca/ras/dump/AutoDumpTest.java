package io.vhca.ras.dump;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Devices;
import io.vhca.api.WcStatus;
import io.vhca.bond.BondContext;
import io.vhca.bond.BondDevice;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.config.ServiceMode.DumpOn;
import io.vhca.bond.core.MemberChange;
import io.vhca.recovery.BondError;
import io.vhca.recovery.Journal;
import io.vhca.recovery.wire.FailureReason;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When a bond dumps itself, by a clock of the test's. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AutoDumpTest {
    private final Semaphore dumps = new Semaphore(0);

    private static BondContext open(final DumpOn when) {
        System.setProperty("vhca.null", "null0=127.0.3.1,null1=127.0.3.2");
        final BondConfig config = BondConfig.builder("bond-q")
                .members(List.of("null0", "null1"))
                .set(BondOption.DUMP_ON, when)
                .build();
        return new BondContext(
                new BondDevice(config), config, List.of(Devices.open("null0"), Devices.open("null1")), Journal.NONE,
                new SplittableRandom(1));
    }

    private AutoDump of(final BondContext bond) {
        return new AutoDump(bond, () -> {
            dumps.release();
            return "";
        });
    }

    private static void died(final AutoDump told) {
        told.onMember("null0", MemberChange.DIED, FailureReason.PORT_ERR, 1);
    }

    /** Waits for so many, and lets what was started by then come to its end. */
    private void written(final int count) throws InterruptedException {
        dumps.acquire(count);
        Thread.startVirtualThread(() -> {}).join();
        assertThat(dumps.availablePermits()).as("more").isZero();
    }

    @Test
    void whatFailsInARowIsDumpedOnceInAWhile() throws InterruptedException {
        try (BondContext bond = open(DumpOn.FATAL)) {
            final AutoDump told = of(bond);
            told.onTurn(0);
            died(told);
            died(told);
            told.onTurn(AutoDump.GRACE_NS - 1);
            died(told);
            written(1);
            told.onTurn(AutoDump.GRACE_NS);
            died(told);
            died(told);
            written(1);
        }
    }

    @Test
    void whatTheOptionDoesNotNameIsNotDumped() throws InterruptedException {
        try (BondContext bond = open(DumpOn.FAILED)) {
            final AutoDump told = of(bond);
            died(told);
            written(0);
            told.onApplicationError(1, WcStatus.RETRY_EXC_ERR.code(), BondError.NO_PATH.vendorErr());
            written(1);
        }
    }
}
