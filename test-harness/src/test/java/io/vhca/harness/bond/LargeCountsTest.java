package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AccessFlags;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.Gid;
import io.vhca.api.MemoryRegion;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QueuePair;
import io.vhca.bond.BondContext;
import io.vhca.bond.BondDevice;
import io.vhca.bond.config.BondConfig;
import io.vhca.physical.soft.SoftDevice;
import io.vhca.physical.soft.cm.CmConfig;
import io.vhca.physical.soft.engine.core.SoftNicConfig;
import io.vhca.physical.soft.fabric.FabricConfig;
import io.vhca.physical.soft.fabric.FabricPort;
import io.vhca.physical.soft.fabric.SimFabric;
import io.vhca.recovery.Journal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** As many queue pairs and regions as a large server has, over two members; what each costs is printed. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Isolated("it looks at what is live in the whole JVM")
class LargeCountsTest {
    private static final int QPS = 10_000;
    private static final int REGIONS = 100_000;
    private static final int CQS = 10;
    private static final int DEPTH = 16;
    private static final int FRAME = 1_120;
    private static final long KB = 1_024;

    private static Context member(final SimFabric fabric, final int index) {
        final FabricPort port =
                fabric.addPort(Gid.of(InetAddress.ofLiteral("10.9.0." + (index + 1))), FRAME);
        return SoftDevice.driven(
                        "many" + index, index + 1, () -> port,
                        new SoftNicConfig().maxMr(REGIONS + QPS), CmConfig.DEFAULT, new SplittableRandom(index))
                .open();
    }

    @Test
    void thousandsOfQueuePairsAndRegions() {
        final SimFabric fabric = new SimFabric(new FabricConfig(FRAME, 64, 1_000, 0));
        final BondConfig config = BondConfig.builder("bond0").members(List.of("many0", "many1")).build();
        final List<AutoCloseable> made = new ArrayList<>();
        try (Arena arena = Arena.ofShared();
                BondContext bond = new BondContext(
                        new BondDevice(config), config, List.of(member(fabric, 0), member(fabric, 1)), Journal.NONE,
                        new SplittableRandom(1));
                ProtectionDomain pd = bond.allocPd()) {
            assertThat(bond.queryDevice().maxQp()).isGreaterThanOrEqualTo(QPS);
            final List<CompletionQueue> cqs = new ArrayList<>();
            for (int i = 0; i < CQS; i++) {
                cqs.add(bond.createCq(64, null, null));
            }
            final long[] before = used();
            final List<QueuePair> qps = new ArrayList<>();
            for (int i = 0; i < QPS; i++) {
                final CompletionQueue cq = cqs.get(i % CQS);
                qps.add(pd.createQp(QpInitAttributes.rc(cq, cq, new QpCapabilities(DEPTH, DEPTH, 1, 1, 0))));
            }
            final long[] between = used();
            final MemorySegment memory = arena.allocate(64 * KB, 4096);
            final List<MemoryRegion> regions = new ArrayList<>();
            for (int i = 0; i < REGIONS; i++) {
                regions.add(pd.regMr(memory.asSlice(i % 64 * KB, KB), AccessFlags.LOCAL_WRITE));
            }
            final long[] after = used();
            assertThat(qps.stream().mapToInt(QueuePair::qpNum).distinct().count()).isEqualTo(QPS);
            assertThat(regions.stream().mapToInt(MemoryRegion::lkey).distinct().count()).isEqualTo(REGIONS);
            final long qpHeap = (between[0] - before[0]) / QPS;
            final long mrHeap = (after[0] - between[0]) / REGIONS;
            System.out.printf(
                    Locale.ROOT,
                    "a vQP of %d + %d: %d bytes of heap, %d native; an MR on 2 members: %d bytes of heap%n",
                    DEPTH, DEPTH, qpHeap, (between[1] - before[1]) / QPS, mrHeap);
            assertThat(qpHeap).as("heap of a vQP").isLessThan(16 * KB);
            assertThat(mrHeap).as("heap of an MR").isLessThan(4 * KB);
            made.addAll(regions);
            made.addAll(qps);
            made.addAll(cqs);
            made.forEach(LargeCountsTest::close);
        }
        fabric.close();
    }

    private static void close(final AutoCloseable object) {
        try {
            object.close();
        } catch (final Exception e) {
            throw new AssertionError(object + " cannot be closed", e);
        }
    }

    /** Heap in use, and what else of the process is in memory. */
    private static long[] used() {
        System.gc();
        final Runtime runtime = Runtime.getRuntime();
        final long heap = runtime.totalMemory() - runtime.freeMemory();
        try {
            for (final String line : Files.readAllLines(Path.of("/proc/self/smaps_rollup"))) {
                if (line.startsWith("Anonymous:")) {
                    final long resident = Long.parseLong(line.replaceAll("\\D", "")) * KB;
                    return new long[] {heap, resident - runtime.totalMemory()};
                }
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        return new long[] {heap, 0};
    }
}
