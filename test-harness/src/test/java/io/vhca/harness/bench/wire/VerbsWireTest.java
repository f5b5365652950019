package io.vhca.harness.bench.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Context;
import io.vhca.api.WrOpcode;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.harness.cli.OwnAddress;
import io.vhca.harness.drill.child.DrillEnd;
import io.vhca.harness.drill.protocol.CmSteps;
import io.vhca.physical.soft.SoftConfig;
import io.vhca.physical.soft.SoftDevice;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the benchmarks measure with: two ends over loopback, each in a thread. */
@Timeout(300)
class VerbsWireTest {
    private static final int WINDOW = 8;
    private static final int BYTES = 64;
    private static final long ROUNDS_NS = TimeUnit.MILLISECONDS.toNanos(20);
    /** Of a round that begins before the far end serves: a pause before its first look is no end of it. */
    private static final long EARLY_NS = TimeUnit.SECONDS.toNanos(2);

    private static SoftDevice soft(final String name, final int last) {
        return SoftDevice.overUdp(new SoftConfig(name, OwnAddress.of(last), 4096));
    }

    /** What a round carries, made again while that is nothing: a device's thread may be off for all of it. */
    private static long carried(final Callable<Long> round) throws Exception {
        long carried = 0;
        while (carried == 0 && !Thread.currentThread().isInterrupted()) {
            carried = round.call();
        }
        return carried;
    }

    @Test
    void everyKindOfWorkEndsAlsoWhenTheFarEndBeginsToServeLate() throws Exception {
        try (Context here = soft("wire-a", 1).open();
                Context there = soft("wire-b", 2).open();
                CmEventChannel channel = there.createEventChannel();
                CmId listener = CmSteps.listen(there, channel, CmPortSpace.TCP);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            final InetSocketAddress address = Objects.requireNonNull(listener.localAddress());
            final Future<DrillEnd> accepting =
                    threads.submit(() -> DrillEnd.accept(there, channel, WINDOW, 2 * WINDOW, BYTES));
            final DrillEnd near = DrillEnd.connect(here, address, WINDOW, 2 * WINDOW, BYTES);
            final DrillEnd far = accepting.get();
            final VerbsWire client = new VerbsWire(near);
            final VerbsWire server = new VerbsWire(far);
            final BenchWire.Target home = new BenchWire.Target(near.address(), near.rkey());
            final BenchWire.Target target = new BenchWire.Target(far.address(), far.rkey());

            final Future<Long> early = threads.submit(() -> client.pingWrites(BYTES, target, EARLY_NS));
            while (far.landed(BYTES) == 0 && !early.isDone()) {
                Thread.onSpinWait();
            }
            final AtomicBoolean over = new AtomicBoolean();
            Future<?> serving = threads.submit(() -> server.serveWrites(BYTES, home, over::get));
            assertThat(early.get()).isPositive();
            assertThat(carried(() -> client.pingWrites(BYTES, target, ROUNDS_NS))).isPositive();
            over.set(true);
            serving.get();

            over.set(false);
            serving = threads.submit(() -> server.serve(BYTES, true, over::get));
            assertThat(carried(() -> client.pingPong(BYTES, ROUNDS_NS))).isPositive();
            over.set(true);
            serving.get();

            over.set(false);
            serving = threads.submit(() -> server.serve(BYTES, false, over::get));
            assertThat(carried(() -> client.stream(BYTES, WINDOW, ROUNDS_NS))).isPositive();
            assertThat(carried(() -> client.oneSided(WrOpcode.RDMA_READ, BYTES, 1, target, ROUNDS_NS))).isPositive();
            over.set(true);
            serving.get();
            near.close();
            far.close();
        }
    }
}
