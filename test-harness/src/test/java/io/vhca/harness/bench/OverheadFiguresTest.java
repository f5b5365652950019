package io.vhca.harness.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class OverheadFiguresTest {
    private final OverheadFigures figures = new OverheadFigures();

    /** Three rounds; the machine was busy in the second one, for each of them. */
    private List<BenchRow> rows(final double bondNs, final double chainNs, final double bytes) {
        for (final double busy : new double[] {1, 3, 1}) {
            figures.add("postAndPoll", OverheadFigures.NULL, 10 * busy, 0);
            figures.add("postAndPoll", OverheadFigures.BOND, bondNs * busy, bytes);
            figures.add("postAndPoll", PostPollBenchmark.DECLARED, (bondNs - 2) * busy, 0);
            figures.add("chainsAndPoll", PostPollBenchmark.DECLARED, (chainNs - 1) * busy, 0);
            figures.add("postAndPoll", PostPollBenchmark.SILENT, (bondNs - 1) * busy, bytes);
            figures.add("postAndPoll", PostPollBenchmark.TRACED, (bondNs + 50) * busy, bytes * (bondNs + 50) / bondNs);
            figures.add("postAndPoll", PostPollBenchmark.CHECKED, (bondNs + 200) * busy, 0);
            figures.add("chainsAndPoll", OverheadFigures.NULL, 6 * busy, 0);
            figures.add("chainsAndPoll", OverheadFigures.BOND, chainNs * busy, bytes);
            figures.add("postAndPoll", CopyingBenchmark.COPIED, 14 * busy, 0);
            figures.add("chainsAndPoll", CopyingBenchmark.COPIED, 8 * busy, 0);
            figures.add("postAndPollShared", OverheadFigures.NULL, 50 * busy, 0);
            figures.add("postAndPollShared", OverheadFigures.BOND, 150 * busy, 0);
        }
        return figures.rows();
    }

    @Test
    void whatTheBondTakesIsTheDifferenceOfEachRound() {
        final List<BenchRow> rows = rows(16, 10, 0);
        assertThat(rows).extracting(BenchRow::what).containsExactly(
                "(a) postSend + pollCq: null device, bond0",
                "(a) the bond's own time",
                "(a) the same / the null device's time",
                "(a) the bond's own allocation",
                "(a) chains of 8, polls of 16, for one request: null device, bond0",
                "(a) the bond's own time",
                "(a) the bond's own allocation, chains",
                "(a) postSend + pollCq, queues singleThreaded: null device, bond0",
                "(a) the bond's own time",
                "(a) chains of 8, polls of 16, queues singleThreaded: null device, bond0",
                "(a) the bond's own time",
                "(a) two threads with the same queues, postSend + pollCq: null device, bond0",
                "(a) the bond's own time",
                "(a) a copy and a number in front of the device, no bond: postSend + pollCq, chains",
                "(a) what tracing events, the default, adds",
                "(a) what tracing each request and completion adds",
                "(a) its allocation",
                "(a) what checks = full adds");
        assertThat(rows.get(0).measured()).isEqualTo("10.0, 16.0 ns");
        assertThat(rows.get(1).measured()).isEqualTo("6.0 ns (rounds 6.0 .. 18.0)");
        assertThat(rows.get(2).measured()).isEqualTo("0.600 (rounds 0.60 .. 0.60)");
        assertThat(rows.get(8).measured()).isEqualTo("4.0 ns (rounds 4.0 .. 12.0)");
        assertThat(rows.get(12).measured()).isEqualTo("100.0 ns (rounds 100.0 .. 300.0)");
        assertThat(rows.get(13).measured()).isEqualTo("4.0, 2.0 ns");
        assertThat(rows.get(14).measured()).isEqualTo("1.0 ns");
        assertThat(rows.getLast().measured()).isEqualTo("200.0 ns");
        assertThat(rows).allMatch(BenchRow::met);
    }

    @Test
    void eachGoalCanBeMissed() {
        assertThat(rows(16.1, 10.1, 0.05)).filteredOn(row -> !row.met()).extracting(BenchRow::what).containsExactly(
                "(a) the same / the null device's time",
                "(a) the bond's own allocation",
                "(a) the bond's own time",
                "(a) the bond's own allocation, chains");
        assertThat(rows(16, 10, 0.05)).extracting(BenchRow::measured).contains("0.000 B");
    }
}
