package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.QpType;
import io.vhca.api.cm.CmId;
import io.vhca.ras.status.BondStatus;
import io.vhca.ras.status.StatusDirectory;
import io.vhca.ras.status.StatusPublisher;
import io.vhca.ras.status.StatusReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.SystemEpochClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The status of a bond with a thousand connected queue pairs, {@code -Dvhca.test.qps} for another number: whole, also
 * in another process; what it costs the bond's thread and how long the tool takes is printed.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StatusLoadTest {
    private static final int QPS = Integer.getInteger("vhca.test.qps", 1_000);
    private static final int CLOSED = 10;
    private static final int ROUNDS = 200;
    private static final long PERIOD_NS = TimeUnit.SECONDS.toNanos(1);
    private static final double NS_A_US = 1e3;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private long nowNs = PERIOD_NS;

    /** Everything once, a turn at a time; ns of each turn. */
    private long[] publish(final StatusPublisher publisher, final int turns) {
        nowNs += PERIOD_NS;
        final long[] ns = new long[turns];
        for (int turn = 0; turn < turns; turn++) {
            final long beginNs = System.nanoTime();
            publisher.onTurn(nowNs);
            ns[turn] = System.nanoTime() - beginNs;
        }
        return ns;
    }

    private BondStatus read() throws IOException {
        final List<Path> files = StatusDirectory.files(directory);
        assertThat(files).hasSize(1);
        return StatusReader.read(files.getFirst());
    }

    @Test
    void aThousandQueuePairsAreShownAndCostLittle() throws IOException, InterruptedException {
        try (BondPair pair = new BondPair(config -> config);
                StatusPublisher publisher =
                        StatusPublisher.open(pair.left.bond, directory, SystemEpochClock.INSTANCE)) {
            while (pair.left.ids().size() < QPS) {
                pair.connect();
            }
            final int turns = QPS / 100 + 2;
            publish(publisher, turns);
            final BondStatus status = read();
            assertThat(status.queuePairs()).hasSizeGreaterThanOrEqualTo(QPS).allSatisfy(qp -> {
                assertThat(qp.type()).isEqualTo(QpType.RC);
                assertThat(qp.member()).isEqualTo("left0");
                assertThat(qp.remote()).isEqualTo(pair.address(1, 0).getHostAddress());
            });
            assertThat(status.qpCount()).isEqualTo(status.queuePairs().size());
            assertThat(status.members().getFirst().queuePairs()).isEqualTo(status.queuePairs().size());

            measure(publisher, turns);
            showInAnotherProcess(status.queuePairs().size());

            final List<Integer> gone = pair.left.ids().subList(QPS - CLOSED, QPS).stream()
                    .map(CmId::qp)
                    .map(qp -> qp == null ? -1 : qp.qpNum())
                    .toList();
            pair.left.ids().subList(QPS - CLOSED, QPS).forEach(CmId::close);
            publish(publisher, turns);
            assertThat(read().queuePairs())
                    .hasSize(status.queuePairs().size() - CLOSED)
                    .extracting(BondStatus.QpRow::qpNum)
                    .doesNotContainAnyElementsOf(gone);
            pair.left.ids().subList(QPS - CLOSED, QPS).clear();
        }
    }

    private void measure(final StatusPublisher publisher, final int turns) {
        final long[] all = new long[ROUNDS];
        final long[] longest = new long[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            final long[] ns = publish(publisher, turns);
            all[round] = Arrays.stream(ns).sum();
            longest[round] = Arrays.stream(ns).max().orElse(0);
        }
        Arrays.sort(all);
        Arrays.sort(longest);
        System.out.printf(
                Locale.ROOT,
                "status of %d queue pairs: a publication takes %.0f us (median), its longest turn %.0f us%n",
                QPS, all[ROUNDS / 2] / NS_A_US, longest[ROUNDS / 2] / NS_A_US);
    }

    private void showInAnotherProcess(final int expected) throws IOException, InterruptedException {
        final long beginNs = System.nanoTime();
        final Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
                        "-D" + StatusDirectory.PROPERTY + "=" + directory,
                        "-cp",
                        System.getProperty("java.class.path"),
                        "io.vhca.tool.Vhca",
                        "status",
                        "--qps",
                        String.valueOf(expected))
                .redirectErrorStream(true)
                .start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        System.out.printf(
                Locale.ROOT, "vhca status --qps %d in another process: %d ms, the JVM's start with it%n",
                expected, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beginNs));
        assertThat(output.lines().filter(line -> line.contains("left0 -> "))).hasSize(expected);
        assertThat(output).contains("Queue pairs: " + expected + "\n");
    }
}
